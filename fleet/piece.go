package fleet

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"lockquake/cmd/command"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// A piece runs in a process of its own. Its standard input is an order. It ends when the worker closes its
// standard input, so that it does not outlive the worker, and removes its folder then. On its standard output are
// lines with its progress.

// order says what the process runs.
type order struct {
	Description []byte            `json:"description"` // of the campaign
	Files       map[string][]byte `json:"files"`
	Seeds       results.SeedRange `json:"seeds"`
}

// said is a line of the process.
type said struct {
	Dir  string        `json:"dir,omitempty"`  // at the begin: its folder
	Done int           `json:"done,omitempty"` // runs
	Took time.Duration `json:"took,omitempty"` // at the end, in nanoseconds
}

// resultFile is the journal of the runs, compressed, in the folder.
const resultFile = "result"

// newPiece returns the command that a worker calls.
func newPiece(p command.Program) *cobra.Command {
	return &cobra.Command{
		Use:    "piece",
		Short:  "Run a piece of a campaign for a worker",
		Hidden: true,
		Args:   command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runPiece(cmd.Context(), p, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// runPiece runs the seeds of an order, and waits until the worker has the result.
func runPiece(ctx context.Context, p command.Program, in io.Reader, out io.Writer) (err error) {
	var o order
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&o); err != nil {
		return command.Usagef("piece is called by work: %v", err)
	}
	dir, err := os.MkdirTemp("", "lockquake-piece-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	taken := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, io.MultiReader(decoder.Buffered(), in))
		select {
		case taken <- struct{}{}:
		case <-time.After(time.Second): // it still runs, and nobody waits for it
			_ = os.RemoveAll(dir)
			os.Exit(1)
		}
	}()
	// A lost worker has to be an error of the write, after which the folder is removed. Ctrl-C on a terminal is for
	// the worker, which ends this process.
	signal.Ignore(syscall.SIGPIPE, os.Interrupt)
	lines := json.NewEncoder(out)
	if err := lines.Encode(said{Dir: dir}); err != nil {
		return err
	}
	took, err := o.run(ctx, p, dir, func(runs int) {
		_ = lines.Encode(said{Done: runs}) // without a reader the standard input has ended too
	})
	if err == nil {
		err = lines.Encode(said{Took: took})
	}
	if err == nil {
		<-taken
	}
	return err
}

// run runs the seeds of the campaign, and writes the result into a folder. It calls done about twice a second.
func (o order) run(ctx context.Context, p command.Program, dir string, done func(runs int)) (took time.Duration, err error) {
	path := filepath.Join(dir, "campaign")
	if err := os.WriteFile(path, o.Description, 0o600); err != nil {
		return 0, err
	}
	of, err := campaign.ReadJournal(path)
	if err != nil {
		return 0, err
	}
	s, err := of.ScenarioWithFiles(o.Files, p.Own...)
	if err != nil {
		return 0, errors.Join(err, of.Close())
	}
	r, err := of.Campaign()
	if err = errors.Join(err, of.Close()); err != nil {
		return 0, err
	}
	if os.Getenv("GOGC") == "" {
		r.Jobs = runtime.NumCPU() // pieces at a time, each in a process of its own
		debug.SetGCPercent(campaign.GCPercent(s, r, false))
	}
	journal, err := campaign.CreateJournal(filepath.Join(dir, "runs"), s)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	next := began
	r.Journal, r.Piece, r.Jobs = journal, o.Seeds, 1
	r.Progress = func(at campaign.Progress) {
		if now := time.Now(); now.After(next) {
			next = now.Add(500 * time.Millisecond)
			done(at.Done)
		}
	}
	_, err = campaign.Run(ctx, s, r)
	took = time.Since(began)
	if err == nil {
		err = pack(journal, filepath.Join(dir, resultFile))
	}
	return took, errors.Join(err, journal.Close())
}

// pack writes a journal compressed, so that the same runs are the same bytes.
func pack(journal io.WriterTo, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(file)
	_, err = journal.WriteTo(z)
	return errors.Join(err, z.Close(), file.Close())
}

// child runs an order in a process, and returns how long it took. Done is called with the number of runs so far, and
// store with the result. If the process fails, the error is a [*pieceError].
func (o order) child(ctx context.Context, done func(runs int), store func(result []byte) error) (took time.Duration, err error) {
	path, err := os.Executable()
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, "piece")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // the worker has as many pieces as it has processors
	stderr := &head{most: 16 << 10}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	cmd.Cancel, cmd.WaitDelay = stdin.Close, 5*time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err = stdin.Write(append(text, '\n')) // a process that has ended says why
	var dir string
	for lines := bufio.NewScanner(stdout); took == 0 && lines.Scan(); {
		var line said
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			dir, took = cmp.Or(dir, line.Dir), line.Took
			done(line.Done)
		}
	}
	if took > 0 {
		var result []byte
		if result, err = os.ReadFile(filepath.Join(dir, resultFile)); err == nil {
			err = store(result)
		}
	}
	_ = stdin.Close()
	ended := cmd.Wait()
	if dir != "" {
		_ = os.RemoveAll(dir) // a process that was killed leaves it
	}
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case took == 0:
		return 0, &pieceError{strings.TrimSpace(fmt.Sprintf("%s\n%v", stderr, cmp.Or(ended, errNoResult)))}
	}
	return took, err
}

var errNoResult = errors.New("it ended without a result")

// pieceError is a piece that the process could not run.
type pieceError struct{ text string }

func (e *pieceError) Error() string { return e.text }

// head keeps the first bytes of a text.
type head struct {
	most int
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *head) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(data[:min(len(data), t.most-t.text.Len())])
	return len(data), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
