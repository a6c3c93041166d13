package locktest

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
)

// naive is a lease without a fencing token: a worker that is paused writes after its lease has ended.
type naive struct {
	deps  lock.Deps
	redis redis.Cmdable
}

func newNaive(d lock.Deps) lock.Strategy { return lock.WithLock(&naive{d, lockredis.PortOf(d).Client}) }

func (n *naive) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	for {
		taken, err := n.redis.SetNX(env.WithOp(ctx, "acquire"), key, n.deps.Instance, n.deps.Params.TTL).Result()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		}
		if taken {
			return &naiveLease{n, ctx, key}, nil
		}
		if err := n.deps.Env.Sleep(ctx, n.deps.Params.TTL/20); err != nil {
			return nil, err
		}
	}
}

type naiveLease struct {
	*naive
	ctx context.Context
	key string
}

func (l *naiveLease) Context() context.Context { return l.ctx }
func (l *naiveLease) Check() error             { return nil }
func (l *naiveLease) Token() int64             { return 0 }
func (l *naiveLease) Release(ctx context.Context) error {
	compared := redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
	return compared.Run(env.WithOp(ctx, "release"), l.redis, []string{l.key}, l.deps.Instance).Err()
}

func naiveEntry() lock.Entry { return lock.Entry{Name: "naive", Doc: "a lease", New: newNaive} }

// calm has no faults, and paused one that must hit; late has one that comes when the work is done.
const (
	calm = `name: calm
duration: 5s
seeds: 20
workers: 3
workload: {kind: counter, hold: 20ms, think: 20ms}
lock: {ttl: 1s}
strategies: [none]
checks: [lost-update, exclusion, belief]
`
	paused = `name: paused
duration: 20s
seeds: 20
workers: 3
workload: {kind: counter, hold: 50ms, think: 50ms}
lock: {ttl: 1s}
strategies: [none]
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 5s}, for: {dist: uniform, min: 1s, max: 3s}}
checks: [lost-update, exclusion, belief]
`
	late = `name: late
duration: 20s
seeds: 5
workers: 1
sections: 1
workload: {kind: counter, hold: 20ms}
lock: {ttl: 1s}
strategies: [none]
faults:
  - {at: 15s, pause: {target: worker-1, for: 1s}}
checks: [lost-update]
`
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// failureOf returns what a test would print.
func failureOf(t *testing.T, scenario string, options ...Option) (string, error) {
	t.Helper()
	impatient := func(r *request) { r.patience = 0 }
	return newRequest(t, scenario, naiveEntry(), append([]Option{impatient}, options...)).check(t.Context())
}

func TestAFailureTellsItsSmallestRunAndHowToRepeatIt(t *testing.T) {
	t.Chdir(t.TempDir())
	patient := func(r *request) { r.patience = 10 * time.Minute }
	got, err := failureOf(t, write(t, "paused.yaml", paused), Seeds(10), Holds("lost-update"), patient)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"lost-update", " of 10 runs", "gets the lock", "is paused", "update lost", "scenario: testdata/lockquake/" + t.Name() + ".yaml, with 1 fault",
		"run it again with: go test -run '^" + t.Name() + "$' -lockquake.replay testdata/lockquake/",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the failure has no %q:\n%s", want, got)
		}
	}
	token := regexp.MustCompile(`-lockquake\.replay (\S+)`).FindStringSubmatch(got)[1]
	r := request{test: t.Name(), scenario: "paused.yaml", entry: naiveEntry()}
	again, err := r.replay(token)
	if err != nil || !strings.Contains(again, "update lost") || strings.Contains(again, "another run") {
		t.Errorf("the run is not repeated: %v\n%s", err, again)
	}

	other := r
	other.entry.Name = "other"
	if again, err := other.replay(strings.Replace(token, ":naive:", ":none:", 1)); err == nil && again != "" {
		t.Errorf("the token of another lock is run: %s", again)
	}
	sum := token[strings.LastIndex(token, ":")+1:]
	if again, err := r.replay(strings.Replace(token, sum, "0123456789abcdef", 1)); err != nil || !strings.HasPrefix(again, "another run") {
		t.Errorf("another checksum is not said: %v\n%s", err, again)
	}
}

func TestWhatDecides(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "calm.yaml", calm)
	write(t, "paused.yaml", paused)
	write(t, "late.yaml", late)
	write(t, "named.yaml", strings.Replace(paused, "[none]", "[none, naive]", 1)+"expect: {naive: {violates: [lost-update]}, none: {holds: [lost-update]}}\n")
	for _, tt := range []struct {
		name, scenario string
		options        []Option
		want           string // part of the failure; "" for none
	}{
		{"nothing goes wrong", "calm.yaml", nil, ""},
		{"without an expectation every check decides", "paused.yaml", nil, "naive violated lost-update"},
		{"a violation that is expected", "paused.yaml", []Option{Violates("lost-update")}, ""},
		{"a violation that does not come", "calm.yaml", []Option{Violates("lost-update")}, "lost-update"},
		{"a check that nothing is expected of", "paused.yaml", []Option{Violates("exclusion")}, ""},
		{"the scenario expects of the lock", "named.yaml", nil, ""},
		{"the caller's expectation wins", "named.yaml", []Option{Holds("lost-update")}, "lost-update"},
		{"a setting that keeps the lease", "paused.yaml", []Option{Set("lock.ttl", "20s")}, ""},
		{"a fault that hits nothing", "late.yaml", []Option{Holds("lost-update")}, "hit no section"},
		{"a built-in scenario", "kleppmann", []Option{Seeds(3)}, "naive violated"},
	} {
		got, err := failureOf(t, tt.scenario, append([]Option{Seeds(10)}, tt.options...)...)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The lock loses updates, which the scenario looks for too.
func TestTheFirstLineOfAFailureIsAboutTheNamedChecks(t *testing.T) {
	t.Chdir(t.TempDir())
	path := write(t, "paused.yaml", paused)
	for check, want := range map[string]string{"exclusion": "naive had two holders at work at once in ", "lost-update": "naive lost updates in "} {
		got, err := failureOf(t, path, Seeds(10), Holds(check))
		if lines := strings.Split(got, "\n"); err != nil || len(lines) < 2 || !strings.HasPrefix(lines[1], want) {
			t.Errorf("Holds(%q): want %q first: %v\n%s", check, want, err, got)
		}
	}
}

func TestWrongArgumentsAreOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "calm.yaml", calm)
	for want, options := range map[string][]Option{
		`did you mean "lost-update"`: {Holds("lost-updates")},
		`calm.yaml does not judge "told": add locktest.Set("checks", "[lost-update, exclusion, belief, told]")`: {Violates("told")},
		"Seeds(-1)":                                 {Seeds(-1)},
		"Kinds: only Explore places faults":         {Kinds("pause")},
		"Seeds(0): it must be a positive number":    {Seeds(0)},
		"-lockquake.jobs -1":                        {jobs(-1)},
		`did you mean "ttl"`:                        {Set("lock.tll", "1s")},
		"paused.yaml":                               nil,
		"-lockquake.replay: not a replay token: it": nil,
	} {
		scenario := "calm.yaml"
		if options == nil {
			scenario = "paused.yaml"
		}
		got, err := failureOf(t, scenario, options...)
		if strings.HasPrefix(want, "-lockquake.replay") {
			r := request{entry: naiveEntry()}
			got, err = r.replay("nonsense")
		}
		if err == nil || got != "" || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %q and %v, want one line with %q", got, err, want)
		}
	}
}

// recorder is a test that keeps what it was told.
type recorder struct {
	testing.TB
	logs, errors, fatal []any
}

func (r *recorder) Helper()           {}
func (r *recorder) Log(args ...any)   { r.logs = append(r.logs, args...) }
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, args...) }
func (r *recorder) Fatal(args ...any) { r.fatal = append(r.fatal, args...) }

func TestRunEntryFailsTheTest(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "calm.yaml", calm)
	write(t, "paused.yaml", paused)
	clean, failing, broken := &recorder{TB: t}, &recorder{TB: t}, &recorder{TB: t}
	RunEntry(clean, "calm.yaml", naiveEntry())
	RunEntry(failing, "paused.yaml", naiveEntry(), Seeds(5))
	RunEntry(broken, "nowhere.yaml", naiveEntry())
	if len(clean.errors)+len(clean.fatal) != 0 {
		t.Errorf("a clean run says %v %v", clean.errors, clean.fatal)
	}
	if text := fmt.Sprint(clean.logs...); len(clean.logs) != 1 || !strings.HasPrefix(text, "calm, seeds 1 to 20\nnaive had no failure in 20 runs") {
		t.Errorf("a clean run logs %q", text)
	}
	if len(failing.errors) != 1 || len(failing.fatal) != 0 {
		t.Errorf("a failure ends with %v and %v", failing.errors, failing.fatal)
	}
	if len(broken.errors) != 0 || len(broken.fatal) != 1 {
		t.Errorf("a scenario that does not load ends with %v and %v", broken.errors, broken.fatal)
	}
}
