//go:build unix

package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockquake/reports"
	"lockquake/scenarios/results"
)

// process is a process of lockquake.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command("lockquake", args...)} // TestMain puts it into the PATH
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// wait returns the exit code, -1 after death by a signal.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	err := p.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// stop sends a signal, and returns the exit code and how long it took.
func (p *process) stop(t *testing.T, s os.Signal) (code int, took time.Duration) {
	t.Helper()
	began := time.Now()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	code = p.wait(t)
	return code, time.Since(began)
}

// longest is the most time that a run may take to stop. An idle machine takes less than a
// second, a busy one took nine. The test looks for a run that does not stop at all.
const longest = time.Minute

// resultsIn reads the results of a report, which must be complete.
func resultsIn(t *testing.T, dir string) (partial bool, runs int) {
	t.Helper()
	for _, c := range reports.Contents() {
		// Without a failing run there is no folder failures, and without cases the runs are
		// not compressed.
		optional := c.Name == "failures" || c.Name == "runs.log.gz"
		if _, err := os.Stat(filepath.Join(dir, c.Name)); err != nil && !optional {
			t.Errorf("the report is not whole: %v", err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Partial    bool
		Strategies []struct{ Runs int }
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	for _, st := range c.Strategies {
		runs += st.Runs
	}
	return c.Partial, runs
}

// onlyHolds fails the test if a directory has other entries than those named.
func onlyHolds(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if got, want := strings.Join(found, " "), strings.Join(names, " "); got != want {
		t.Errorf("%s holds %q, not %q", dir, got, want)
	}
}

func TestAnInterruptedRunReportsTheRunsThatWereDone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, dir, "run", "gc-pause", "--seeds", "1-1000000", "--out", "report", "--quiet")
			awaitRuns(t, filepath.Join(dir, "report.runs"))
			code, took := p.stop(t, s)
			if code != exitInterrupted || took > longest {
				t.Errorf("exit code %d after %v", code, took)
			}
			if partial, runs := resultsIn(t, filepath.Join(dir, "report")); !partial || runs == 0 {
				t.Errorf("results.json: partial %v, %d runs", partial, runs)
			}
			text, err := os.ReadFile(filepath.Join(dir, "report", "report.md"))
			if err != nil || !strings.Contains(string(text), "Stopped before the end") {
				t.Errorf("report.md does not say that it is partial: %v", err)
			}
			onlyHolds(t, dir, "report", "report.runs")
			if !strings.Contains(p.stdout.String(), "gc-pause, seeds 1 to 1000000, stopped before the end\n") {
				t.Errorf("printed: %s", p.stdout.String())
			}
			want := regexp.MustCompile(`^lockquake: interrupted: gc-pause was stopped after [\d,]+ of 8,000,000 runs; --resume continues\n$`)
			if !want.MatchString(p.stderr.String()) {
				t.Errorf("said: %q", p.stderr.String())
			}
		})
	}
}

// The runs so far are an answer, with wider intervals.
func TestAnInterruptedRateReportsTheRunsThatWereDone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pauses.txt"), []byte("3s\n4s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	last := interruptAtProgress(t, dir, "^gc-pause: [0-9]", "rate", "gc-pause", "--strategy", "redis", "--pauses", "pauses.txt", "--pauses-over", "24h", "--seeds", "1-1000000", "--out", "report")
	if !regexp.MustCompile(`^lockquake: interrupted: gc-pause was stopped after [0-9,]+ of 1,000,000 runs with a long pause$`).MatchString(last) {
		t.Errorf("it says %q", last)
	}
	var y results.Yearly
	data, err := os.ReadFile(filepath.Join(dir, "report", "rate.json"))
	if err = errors.Join(err, json.Unmarshal(data, &y)); err != nil || !y.Partial || y.Strategies[0].Runs == 0 || y.Strategies[0].PerYear == nil {
		t.Errorf("rate.json: %v, %+v", err, y)
	}
	onlyHolds(t, dir, "pauses.txt", "report")
}

// endless is a scenario with runs that take longer than any test.
func endless(t *testing.T, dir string) string {
	t.Helper()
	const text = `
name: endless
duration: 10000h
workers: 20
workload: {kind: register, hold: 1ms}
strategies: [none]
checks: [linearizable]
`
	path := filepath.Join(dir, "endless.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Earlier scenarios have complete reports. The interrupted one has a partial report, even
// during its first run. The message names the others.
func TestAnInterruptedRunOfSeveralScenariosNamesThoseNotBegun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	dir := t.TempDir()
	long := endless(t, t.TempDir())
	p := start(t, dir, "run", "late-packet", long, "kleppmann", "--seeds", "1-2", "--out", "report")
	done := filepath.Join(dir, "report", "late-packet")
	begun := filepath.Join(dir, "report", "endless.runs")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the second scenario does not begin")
		}
	}
	if code, took := p.stop(t, os.Interrupt); code != exitInterrupted || took > longest {
		t.Errorf("exit code %d after %v", code, took)
	}
	if partial, runs := resultsIn(t, done); partial || runs == 0 {
		t.Errorf("late-packet: partial %v, %d runs", partial, runs)
	}
	if partial, runs := resultsIn(t, filepath.Join(dir, "report", "endless")); !partial || runs != 0 {
		t.Errorf("endless: partial %v, %d runs", partial, runs)
	}
	onlyHolds(t, filepath.Join(dir, "report"), "endless", "late-packet")
	interrupted := "lockquake: interrupted: endless was stopped after 0 of 2 runs; not begun: kleppmann; --resume continues\n"
	if said := p.stderr.String(); !strings.HasPrefix(said, long+":4:10: warning: ") || !strings.HasSuffix(said, "\n"+interrupted) || strings.Count(said, "\n") != 2 {
		t.Errorf("said %q, want a warning of %s and %q", said, long, interrupted)
	}
}

func TestASecondInterruptKillsAtOnce(t *testing.T) {
	p := &process{cmd: exec.Command("neverstops")}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	says := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it says %q, not %q", lines.Text(), want)
		}
	}
	says("begun")
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	says("interrupted")
	// The program stops to catch signals shortly after the first one. A signal before that
	// is lost.
	ended := make(chan int)
	go func() { ended <- p.wait(t) }()
	for deadline := time.After(time.Minute); ; {
		_ = p.cmd.Process.Signal(os.Interrupt)
		select {
		case code := <-ended:
			if code != -1 {
				t.Errorf("exit code %d: it was not killed by a second signal", code)
			}
			return
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatal("a second signal does not kill it")
		}
	}
}

func TestAKilledRunLeavesACompleteReportOrNone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	args := []string{"run", "kleppmann", "--seeds", "1-3", "--out", "report"}
	began := time.Now()
	if code := start(t, t.TempDir(), args...).wait(t); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	whole := time.Since(began)
	dir := t.TempDir()
	report := filepath.Join(dir, "report")
	for i := range 12 {
		p := start(t, dir, args...)
		time.Sleep(whole * time.Duration(i+1) / 12)
		p.stop(t, syscall.SIGKILL)
		if _, err := os.Stat(report); err == nil {
			resultsIn(t, report)
		}
	}
	// The files left beside it do not matter.
	if code := start(t, dir, args...).wait(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	resultsIn(t, report)
}

// kept counts the complete runs in a journal.
func kept(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("}\n")) - bytes.Count(data, []byte(`{"journal":`)) - bytes.Count(data, []byte(`{"asked":`))
}

// awaitRuns returns when a journal holds a run.
func awaitRuns(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); kept(t, path) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s holds no run", path)
		}
	}
}

// It is killed several times. No stored run is lost, and the results are the same byte for
// byte.
func TestAKilledCampaignCanBeResumed(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 4
	}
	dir := t.TempDir()
	args := []string{"run", "kleppmann", "--seeds", "1-600", "--quiet", "--out"}
	began := time.Now()
	if code := start(t, dir, append(args, "whole")...).wait(t); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	whole := time.Since(began)

	random := rand.New(rand.NewPCG(1, 2))
	report, journal := filepath.Join(dir, "report"), filepath.Join(dir, "report.runs")
	const all = 5 * 600 // runs
	most, midst := 0, 0
	// finish runs the campaign to its end, and removes its files.
	finish := func() {
		p := start(t, dir, append(args, "report", "--resume")...)
		if code := p.wait(t); code != exitOK {
			t.Fatalf("exit code %d: %s", code, p.stderr.String())
		}
		for _, name := range []string{"results.json", "runs.log", "report.md", "report.html"} {
			sameFile(t, filepath.Join(dir, "whole", name), filepath.Join(report, name))
		}
		if err := os.RemoveAll(report); err != nil {
			t.Fatal(err)
		}
		most = 0
	}
	for range kills {
		p := start(t, dir, append(args, "report", "--resume")...)
		time.Sleep(time.Duration(random.Float64() * float64(whole) / 4))
		if code, _ := p.stop(t, syscall.SIGKILL); code > exitOK {
			t.Fatalf("exit code %d: %s", code, p.stderr.String())
		}
		now := kept(t, journal)
		if _, err := os.Stat(report); err == nil || now == all {
			finish() // it was killed as it wrote its report, or later
			continue
		}
		if now < most {
			t.Errorf("%d runs are kept, and there were %d", now, most)
		}
		if now > most {
			midst++
		}
		most = now
	}
	t.Logf("of %d kills %d fell in the midst of new runs", kills, midst)
	if midst == 0 {
		t.Error("it was never killed in the midst of its runs")
	}
	finish()
	onlyHolds(t, dir, "whole")
}

func sameFile(t *testing.T, one, two string) {
	t.Helper()
	first, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("%s and %s differ", one, two)
	}
}

func TestTwoCampaignsCannotWriteTheSameReport(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	dir := t.TempDir()
	p := start(t, dir, "run", "gc-pause", "--seeds", "1-1000000", "--out", "report", "--quiet")
	awaitRuns(t, filepath.Join(dir, "report.runs"))
	for _, more := range [][]string{nil, {"--resume"}} {
		other := start(t, dir, append([]string{"run", "gc-pause", "--seeds", "1-2", "--out", "report"}, more...)...)
		if code := other.wait(t); code != exitUsage || other.stderr.String() != "lockquake: report.runs: a campaign that is under way writes it\n" {
			t.Errorf("exit code %d: %s", code, other.stderr.String())
		}
	}
	p.stop(t, syscall.SIGKILL)
}

// interruptAtProgress starts a command and interrupts it when it prints its first line of progress, after 10 s, which matches
// the pattern. It returns the last line of standard error.
func interruptAtProgress(t *testing.T, dir, progress string, args ...string) (last string) {
	t.Helper()
	cmd := exec.Command("lockquake", args...)
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	begins := regexp.MustCompile(progress)
	for lines.Scan() && !begins.MatchString(lines.Text()) {
		last = lines.Text()
	}
	if !begins.MatchString(lines.Text()) {
		t.Fatalf("it says no %q, and last %q", progress, last)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		last = lines.Text()
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
	}
	return last
}

func TestAnInterruptedMatrixReportsTheRunsThatWereDone(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	dir := t.TempDir()
	last := interruptAtProgress(t, dir, "^matrix: ", "matrix", "--need", "readers", "--seeds", "1-100000", "--out", "matrix", "--format", "answer")
	if !regexp.MustCompile(`^lockquake: interrupted: the matrix was stopped after [0-9,]+ runs; the tables show what they tell$`).MatchString(last) {
		t.Errorf("it says %q", last)
	}
	m, err := results.ReadMatrix(filepath.Join(dir, "matrix"))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Partial || m.Runs == 0 {
		t.Errorf("partial %v with %d runs", m.Partial, m.Runs)
	}
	onlyHolds(t, dir, "matrix")
}

func TestAnInterruptedExploreReportsThePlacementsThatWereTried(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	dir := t.TempDir()
	last := interruptAtProgress(t, dir, "^gc-pause: [0-9]", "explore", "gc-pause", "--strategy", "redis", "--faults", "2", "--sections", "9", "--write", "placed.yaml")
	if !regexp.MustCompile(`^lockquake: interrupted: gc-pause was stopped after [0-9,]+ placements$`).MatchString(last) {
		t.Errorf("it says %q", last)
	}
	// One of the placements that were tried is written, and its file is as expected.
	p := start(t, dir, "run", "placed.yaml", "--no-report")
	if code := p.wait(t); code != exitOK || !strings.Contains(p.stdout.String(), "redis lost updates in the only run") {
		t.Errorf("exit code %d: %s%s", code, p.stdout.String(), p.stderr.String())
	}
}
