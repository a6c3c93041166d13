package locktest

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
	"lockquake/scenarios/results"
)

// jobs sets the number of processes.
func jobs(n int) Option { return func(r *request) { r.jobs = n } }

// campaignOf returns the results of a library as JSON, and the error of its runs.
func campaignOf(t *testing.T, scenario string, new func(Deps) lock.Locker, options ...Option) (text string, err error) {
	t.Helper()
	withLibrary(t, scenario, lockerOf(new), options, func(r *request) {
		if part := presentPart(); part != nil {
			r.run(t)
			return
		}
		s, loadErr := r.loadExpecting()
		if loadErr != nil {
			t.Fatal(loadErr)
		}
		var c *results.Campaign
		if c, err = r.campaign(context.Background(), s); err == nil {
			encoded, jsonErr := json.Marshal(c)
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			text = string(encoded)
		}
	})
	return text, err
}

func TestTwoProcessesFindTheSameAsOne(t *testing.T) {
	two, err := campaignOf(t, "gc-pause", newSetNX, Seeds(5), jobs(2), Set("duration", "20s"))
	if err != nil {
		t.Fatal(err)
	}
	one, err := campaignOf(t, "gc-pause", newSetNX, Seeds(5), jobs(1), Set("duration", "20s"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(one, `"lost-update"`) {
		t.Errorf("no update is lost:\n%s", one)
	}
	if diff := cmp.Diff(one, two); diff != "" {
		t.Errorf("one process and two (-one +two):\n%s", diff)
	}
}

// panicking is a lock whose goroutine panics.
func panicking(d Deps) lock.Locker {
	return Locker(func(ctx context.Context, key string) (Lease, error) {
		go func() { panic("bad") }()
		return newSetNX(d).Acquire(ctx, key)
	})
}

// In another process a panic of a goroutine is one line, which repeats the run, and the next run of the test begins
// with it.
func TestAPanicInAnotherProcessIsOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := campaignOf(t, "no-fault-needed", panicking, Seeds(3), jobs(2))
	want := regexp.MustCompile(`^locktest: a goroutine of the library panics: bad at \S+/processes_test\.go:\d+; run it again with: ` +
		`go test -run '\^` + t.Name() + `\$' -lockquake\.replay (no-fault-needed@\w+:` + t.Name() + `:[1-3]:[\d.]+:unfinished)$`)
	if err == nil || !want.MatchString(err.Error()) {
		t.Fatalf("got %v", err)
	}
	remembered, err2 := os.ReadFile("testdata/lockquake/" + t.Name() + ".token")
	if token := want.FindStringSubmatch(err.Error())[1]; err2 != nil || string(remembered) != token+"\n" {
		t.Errorf("the file has %q, %v", remembered, err2)
	}
}

// In another process a run that hangs is the same line as in one, and the next run of the test begins with it.
func TestARunThatHangsInAnotherProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	defer func(before time.Duration) { hangAfter = before }(hangAfter)
	hangAfter = 500 * time.Millisecond
	_, err := campaignOf(t, "no-fault-needed", spinning, Seeds(2), jobs(2))
	want := regexp.MustCompile(`^locktest: the library does not go on: a goroutine computes and does not wait at \S+/processes_test\.go:\d+ \(after 500ms\)$`)
	if err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
	token, err := os.ReadFile("testdata/lockquake/" + t.Name() + ".token")
	if err != nil || !strings.HasSuffix(string(token), ":unfinished\n") {
		t.Errorf("the file has %q, %v", token, err)
	}
}

// testVariable makes a test of this file run what the test itself starts in a process of its own.
const testVariable = "LOCKTEST_TEST"

// again starts this test in a process of its own, with the value of testVariable.
func again(t *testing.T, value string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), testVariable+"="+value)
	return cmd
}

// In one process a panic ends the program. Its stack has the command that repeats the run, and one line follows the stacks.
func TestAPanicEndsWithALineThatRepeatsItsRun(t *testing.T) {
	if os.Getenv(testVariable) != "" {
		Run(t, "no-fault-needed", panicking, Seeds(1))
		return
	}
	out, err := again(t, "panic").CombinedOutput()
	rerun := `go test -run '\^` + t.Name() + `\$' -lockquake\.replay no-fault-needed@\w+:` + t.Name() + `:1:[\d.]+:unfinished`
	want := regexp.MustCompile(`(?s)panic: bad\n\ngoroutine .* labels:\{"rerun": "` + rerun + `"\}\]:\n.*` +
		`\nlocktest: a goroutine of the library panics: bad at \S+/processes_test\.go:\d+; run it again with: ` + rerun + `\n$`)
	if err == nil || !want.Match(out) || strings.Count(string(out), "locktest: ") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// spinning is a lock that computes until its process is ended.
func spinning(Deps) lock.Locker {
	return Locker(func(context.Context, string) (Lease, error) {
		for { //nolint:staticcheck // it is meant to spin
		}
	})
}

// No process and no folder is left when one of them fails, and when the one that started them is killed, also before
// the others have begun their runs.
func TestNoProcessIsLeftBehind(t *testing.T) {
	if mode, addr, there := strings.Cut(os.Getenv(testVariable), ": "); there {
		hangAfter = time.Hour
		made := spinning
		if p := presentPart(); p != nil {
			c, err := net.Dial("tcp", addr) // is closed when the process ends
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if mode == "killed early" {
				time.Sleep(time.Hour) // as a program that prepares for its tests
			}
			if mode == "fails" && p.Number == 1 {
				_, _ = c.Read(make([]byte, 1)) // the other one has begun
				made = panicking
			}
		}
		t.Chdir(t.TempDir())
		Run(t, "no-fault-needed", made, Seeds(2), jobs(2))
		return
	}
	for _, mode := range []string{"fails", "killed", "killed early"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		cmd := again(t, mode+": "+l.Addr().String())
		folder := t.TempDir()
		cmd.Env = append(cmd.Env, "TMPDIR="+folder)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var others []net.Conn
		for range 2 { // go test ends the program if they do not come
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			others = append(others, c)
		}
		for _, c := range others {
			_, _ = c.Write([]byte{1})
		}
		if mode != "fails" {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Errorf("%s: the test passes", mode)
		}
		for _, c := range others {
			if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("%s: a process is left: %d bytes, %v", mode, n, err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(folder, "lockquake-*")); len(left) > 0 || err != nil {
			t.Errorf("%s: folders are left: %v, %v", mode, left, err)
		}
	}
}

// If another process fails for a reason of the test, the error has what go test would print of it.
func TestAFailureInAnotherProcessIsQuoted(t *testing.T) {
	if presentPart() != nil {
		t.Fatal("no licence")
	}
	_, err := campaignOf(t, "no-fault-needed", newSetNX, Seeds(2), jobs(2))
	want := regexp.MustCompile(`^locktest: process [12] of 2 of the test program \(-lockquake\.jobs=1 runs all seeds in one\): exit status 1: ` +
		`--- FAIL: ` + t.Name() + ` \(.*\)\n +processes_test\.go:\d+: no licence$`)
	if err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
}

// A test that asks for one process has one, whatever the flag and the machine.
func TestOneProcessRunsAllSeeds(t *testing.T) {
	r := newRequest(t, "gc-pause", naiveEntry(), []Option{jobs(4), OneProcess()})
	r.cores = 4
	if n := r.processes(1000); n != 1 {
		t.Errorf("%d processes", n)
	}
}

// Another process has the time that is left to the test.
func TestAnotherProcessHasTheTimeOfTheTest(t *testing.T) {
	withLibrary(t, "gc-pause", lockerOf(newSetNX), nil, func(r *request) {
		if deadline, limited := t.Deadline(); limited != !slices.Contains(argumentsOf(r), "-test.timeout=0s") {
			t.Errorf("the test ends at %v, and another process is started with %q", deadline, argumentsOf(r))
		}
	})
}
