package locktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/run"
)

//nolint:gochecknoglobals // go test knows a flag only if it is registered before the tests begin
var jobsFlag = flag.Int("lockquake.jobs", 0, "processes in which the seeds of a test run; 0: one for each processor, and one under a debugger")

// fewSeeds is the number of seeds up to which one process is fast enough.
const fewSeeds = 10

// processes returns the number of processes for some seeds.
func (r *request) processes(seeds int) int {
	n := r.jobs
	if n == 0 {
		n = r.cores
		if seeds <= fewSeeds || debugged() {
			n = 1
		}
	}
	return min(n, seeds)
}

// debugged reports whether a debugger runs the program.
func debugged() bool {
	status, _ := os.ReadFile("/proc/self/status") // of Linux
	return strings.HasPrefix(filepath.Base(os.Args[0]), "__debug_bin") || regexp.MustCompile(`(?m)^TracerPid:\s*[1-9]`).Match(status)
}

// part says which seeds of which call a process of the test program runs, and where it keeps their runs.
type part struct {
	Test       string
	Call       int
	Number, Of int
	Journal    string // the file for its runs
}

// partVariable is the environment variable that has the part of a process.
const partVariable = "LOCKQUAKE_PART"

// present is the part of this process, nil if it has none.
//
//nolint:gochecknoglobals // the process must end with the one that started it, also before its tests begin
var present = beginPart()

// beginPart reads the part of this process, which programs that it starts do not inherit. It ends the process, and removes the
// folder of the journals, when the process that waits for this one ends.
func beginPart() *part {
	explainCrash()
	var p part
	if json.Unmarshal([]byte(os.Getenv(partVariable)), &p) != nil {
		return nil
	}
	_ = os.Unsetenv(partVariable)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = os.RemoveAll(filepath.Dir(p.Journal))
		os.Exit(1)
	}()
	return &p
}

// presentPart returns the part of this process, nil if it has none.
func presentPart() *part { return present }

// stopped is the error that ended the run of a part early.
type stopped struct {
	Text  string
	Token string // of the run; "" if it is not known
}

// Error implements error.
func (s *stopped) Error() string { return s.Text }

// runPart runs the part of this process, and ends the test.
func (r *request) runPart(t testing.TB, p *part) {
	t.Helper()
	if err := r.keepPart(t.Context(), p); err != nil {
		reason, ok := errors.AsType[*stopped](err)
		if !ok {
			reason = &stopped{Text: r.explain(err).Error()}
		}
		text, _ := json.Marshal(reason) // two strings
		if err := os.WriteFile(p.Journal+reasonSuffix, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.SkipNow()
}

// reasonSuffix is added to the name of a journal for the file with what ended its runs.
const reasonSuffix = ".stopped"

// keepPart runs a part, and keeps its runs in its journal.
func (r *request) keepPart(ctx context.Context, p *part) error {
	s, err := r.loadExpecting()
	if err != nil {
		return err
	}
	j, err := campaign.CreateJournal(p.Journal, s)
	if err != nil {
		return err
	}
	_, err = campaign.Run(ctx, s, campaign.Request{
		Strategies: []string{r.entry.Name}, Stall: r.stall(), Jobs: 1, Part: p.Number, Parts: p.Of, Journal: j,
	})
	if of, ok := errors.AsType[*run.Error](err); ok {
		err = &stopped{r.explain(err).Error(), s.Token(of.Label, of.Seed, unfinished)}
	}
	return errors.Join(err, j.Close())
}

// spread runs the seeds in n processes of the test program, and calls sum with a journal of all their runs. No process
// is left when it returns, and all end when this one does.
func (r *request) spread(ctx context.Context, s *scenarios.Scenario, n int, sum func(*campaign.Journal) error) (err error) {
	dir, err := os.MkdirTemp("", "lockquake-")
	if err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	journals := make([]string, n)
	for i := range n {
		journals[i] = filepath.Join(dir, fmt.Sprint(i+1))
		running.Go(func() {
			if err := r.process(ctx, part{r.test, r.call, i + 1, n, journals[i]}); err != nil {
				stop(err)
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		if reason, ok := errors.AsType[*stopped](err); ok && reason.Token != "" {
			r.remember(reason.Token)
		}
		return err
	}
	all, err := campaign.OpenJournal(filepath.Join(dir, "all"), s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	for _, path := range journals {
		if err := add(all, path); err != nil {
			return err
		}
	}
	return sum(all)
}

// add adds the runs of a journal to another one.
func add(all *campaign.Journal, path string) error {
	j, err := campaign.ReadJournal(path)
	if err != nil {
		return err
	}
	return errors.Join(all.Import(j), j.Close())
}

// startDir is the directory in which the program started.
//
//nolint:gochecknoglobals // a test may leave it
var startDir, _ = os.Getwd()

// process runs a part in a process of the test program. The process ends when its input does.
func (r *request) process(ctx context.Context, p part) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	text, _ := json.Marshal(p) // strings and numbers
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, argumentsOf(r)...)
	cmd.Dir, cmd.Env = startDir, append(os.Environ(), partVariable+"="+string(text), "GOMAXPROCS=1")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if _, err := cmd.StdinPipe(); err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	err = cmd.Run()
	if reason, readErr := os.ReadFile(p.Journal + reasonSuffix); readErr == nil {
		var s stopped
		if err := json.Unmarshal(reason, &s); err != nil {
			return fmt.Errorf("locktest: %w", err)
		}
		return &s
	}
	if err == nil {
		_, err = os.Stat(p.Journal)
	}
	if err == nil {
		return nil
	}
	if text, token := panicOf(out.String()); text != "" {
		return &stopped{text, token}
	}
	return fmt.Errorf("locktest: process %d of %d of the test program (-lockquake.jobs=1 runs all seeds in one): %w: %s", p.Number, p.Of, err, failed(out.String()))
}

// failed returns what the output of a test program says of the first test that failed, or its last line if it names none.
func failed(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "--- FAIL: ") })
	if first < 0 {
		return lines[len(lines)-1]
	}
	lines = lines[first:]
	if end := slices.Index(lines, "FAIL"); end >= 0 {
		lines = lines[:end]
	}
	const most = 30 // a panic has the stacks of all goroutines
	return strings.Join(lines[:min(len(lines), most)], "\n")
}

// argumentsOf returns the arguments with which the test program runs only the test of a request, with its own flags and in the time
// that is left.
func argumentsOf(r *request) []string {
	var left time.Duration // 0: without a limit
	if deadline, limited := r.library.t.Deadline(); limited {
		left = time.Until(deadline)
	}
	args := []string{"-test.run=" + r.pattern(), "-test.count=1", "-test.timeout=" + left.String()}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") || f.Name == "test.short" {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	return append(args, flag.Args()...)
}
