package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios"
	"lockquake/scenarios/advise"
	"lockquake/scenarios/campaign"
)

// executed runs a command line in a folder of its own, without a terminal.
func executed(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, failed bytes.Buffer
	code = newProgram(nil).execute(t.Context(), args, &out, &failed)
	return out.String(), failed.String(), code
}

func TestInitWritesAScenarioThatIsValid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"init"},
		{"init", "--yes", "--lock", "redlock-extend"}, // the file was not changed, and is replaced
		{"init", "--topology", "failover", "--renew", "10s", "--pauses", "up to 3s, every 1m"},
	} {
		out, failed, code := executed(t, args...)
		if code != exitOK || !strings.Contains(out, "run it with: lockquake run lock.yaml") {
			t.Fatalf("%v: exit code %d: %s%s", args, code, out, failed)
		}
		if out, failed, code := executed(t, "validate", "lock.yaml"); code != exitOK {
			t.Errorf("%v: %s%s", args, out, failed)
		}
	}
}

func TestARenewalAfterTheEndOfTheLeaseIsAWarning(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"--ttl 30s --renew 40s": "lockquake: warning: the lease ends after 30s, so a renewal every 40s comes too late\n",
		"--ttl 10s --renew 10s": "lockquake: warning: the lease ends after 10s, so a renewal every 10s comes too late\n",
		"--ttl 30s --renew 10s": "",
	} {
		_, failed, code := executed(t, append([]string{"init"}, strings.Fields(args)...)...)
		if code != exitOK || failed != want {
			t.Errorf("%s: exit code %d: %s, want %s", args, code, failed, want)
		}
	}
}

func TestAWrongInputOfAdviseIsOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.yaml", []byte("name: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"--topology failovr", `--topology: unknown topology "failovr"; did you mean "failover"?`},
		{"--topology sentinel", "--topology: sentinel is none of the choices: use failover, a primary with one replica that takes over after a fixed time; how Sentinel decides is not simulated"},
		{"--topology cluster", "--topology: cluster is none of the choices: a lock has one key, which one shard of a cluster holds: use failover"},
		{"--lock rediss", `--lock: unknown lock "rediss"; did you mean "redis"?`},
		{"--topology database --ttl 3s", "--ttl does not apply to pg-advisory-session; leave it out"},
		{"--pauses missing.txt", `--pauses: "missing.txt" is neither a duration such as 150ms nor a file`},
		{"--lok redis", `unknown flag "--lok"; did you mean "--lock"?`},
		{"--work 400h --ttl 30s --renew 10s", "advise: a run of 1600h has 76.9 times the renewals, attempts and pauses that an answer can have; shorten --work"},
		{"--out mine.yaml", "--out: mine.yaml was edited, or is not a file of advise; name another file, or use --force"},
		{"--out mine.txt", `--out: a scenario is a .yaml file, not "mine.txt"`},
		{"--out missing/mine.yaml", `--out: there is no folder "missing"`},
		{"--format jsn", `--format: unknown format "jsn"; did you mean "json"?`},
		{"--jobs -1", `invalid argument "-1" for "--jobs" flag: must be more than 0`},
		{"kleppmann", `advise takes no argument, and "kleppmann" is one`},
	} {
		out, failed, code := executed(t, append([]string{"advise"}, strings.Fields(test.args)...)...)
		if code != exitUsage || out != "" || strings.Count(failed, "\n") != 1 || !strings.Contains(failed, test.want) {
			t.Errorf("%s: exit code %d: %s%s", test.args, code, out, failed)
		}
	}
	if files, _ := filepath.Glob("*"); len(files) != 1 {
		t.Errorf("it left %v", files)
	}
}

// A wrong answer is asked again, an empty one is the default.
func TestTheQuestionsAreAskedOneByOne(t *testing.T) {
	var out strings.Builder
	in := advise.Inputs{}
	ask := newAsker(strings.NewReader("failovr\nfailover\n\n"), &out)
	for _, q := range advise.Questions()[:2] {
		if err := ask.question(t.Context(), q, &in); err != nil {
			t.Fatal(err)
		}
	}
	if in.Topology != advise.Failover || in.Lock != "redis" || strings.Join(in.Assumed, "") != "--lock redis" {
		t.Errorf("%+v", in)
	}
	servers := "Which servers does the lock run on (one, failover, redlock, database, etcd, zookeeper, dynamodb,\n  kubernetes)? [one] "
	want := servers + "unknown topology \"failovr\"; did you mean \"failover\"?\n" + servers + "Which lock? [redis] "
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
	if err := ask.question(t.Context(), advise.Questions()[2], &in); exitCode(err) != exitUsage {
		t.Errorf("at the end of the input: %v", err)
	}
}

func TestAnInterruptEndsTheQuestions(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	typing, _ := io.Pipe() // nothing is ever typed
	ask := newAsker(typing, io.Discard)
	stop()
	err := ask.question(ctx, advise.Questions()[0], &advise.Inputs{})
	if exitCode(err) != exitInterrupted || !errors.As(err, &interruptError{}) {
		t.Errorf("%v", err)
	}
}

func TestAnInterruptedAdviseWritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, failed bytes.Buffer
	code := newProgram(nil).execute(ctx, []string{"advise", "--yes"}, &out, &failed)
	if code != exitInterrupted || failed.String() != "lockquake: interrupted: before the answer; nothing was written\n" {
		t.Errorf("exit code %d: %s", code, failed.String())
	}
	if files, _ := filepath.Glob("*"); len(files) > 0 {
		t.Errorf("it left %v", files)
	}
}

// A share of 1 % in 10 s is 1,000 s for all, whatever the number of runs. Two workers for 4 minutes are 480 worker seconds a
// run.
func TestAdviseSaysOnceThatAnAnswerTakesLong(t *testing.T) {
	began := time.Unix(0, 0)
	f := forecast{scenario: &scenarios.Scenario{Workers: 2, Duration: 4 * time.Minute}, began: began}
	for _, step := range []struct {
		after time.Duration
		share float64
		long  bool
	}{
		{9 * time.Second, 0.001, false},
		{10 * time.Second, 0.0175, false},
		{10 * time.Second, 0.01, true},
		{20 * time.Second, 0.02, false},
	} {
		got, want := f.text(campaign.Progress{Done: 400, Total: 4000, Share: step.share}, began.Add(step.after)), ""
		if step.long {
			want = "about 4,000 runs of 2 workers for 4m0s (1,920,000 worker seconds) may take about 17m0s: " +
				"work that is much shorter than the lease, and messages that take long, make many events"
		}
		if got != want {
			t.Errorf("a share of %v after %v: %q, want %q", step.share, step.after, got, want)
		}
	}
}
