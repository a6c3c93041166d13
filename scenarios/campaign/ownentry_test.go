package campaign

import (
	"context"
	"errors"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// leased takes a key for a lease, and tells of a loss when the lock is given back.
type leased struct {
	lock.Deps
	local env.Sem // of the process; nil for none
}

func (l *leased) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	if l.local != nil {
		if err := l.local.Acquire(ctx); err != nil {
			return nil, err
		}
	}
	token := l.Instance
	for {
		won, err := lockredis.PortOf(l.Deps).Client.SetNX(env.WithOp(ctx, "acquire"), key, token, l.Params.TTL).Result()
		if err != nil {
			return nil, errors.Join(lock.ErrUnknown, err)
		}
		if won {
			return &leasedLease{l, ctx, key, token}, nil
		}
		if err := l.Env.Sleep(ctx, l.Params.TTL/20); err != nil {
			return nil, err
		}
	}
}

type leasedLease struct {
	*leased
	ctx        context.Context
	key, token string
}

func (l *leasedLease) Context() context.Context { return l.ctx }
func (l *leasedLease) Check() error             { return nil }
func (l *leasedLease) Token() int64             { return 0 }
func (l *leasedLease) Release(ctx context.Context) error {
	compared := goredis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
	n, err := compared.Run(env.WithOp(ctx, "release"), lockredis.PortOf(l.Deps).Client, []string{l.key}, l.token).Int64()
	if l.local != nil {
		l.local.Release()
	}
	if err == nil && n == 0 {
		return lock.ErrLost
	}
	return err
}

// mine is an entry of one's own.
func mine(name string, change func(e *lock.Entry)) lock.Entry {
	e := lock.Entry{Name: name, Doc: "the caller's own", New: func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&leased{Deps: d})
	}}
	if change != nil {
		change(&e)
	}
	return e
}

// An entry that promises to tell of a loss while the work goes on is held to that;
// the same lock that promises nothing is not.
func TestOwnEntryIsHeldToWhatItPromises(t *testing.T) {
	const text = `
name: own-tells
duration: 30s
seeds: 5
workers: 2
workload: {kind: counter, hold: 10s, think: 100ms}
lock: {ttl: 3s}
strategies: [silent, promises]
`
	s, err := scenarios.Parse("own-tells.yaml", []byte(text), mine("silent", nil), mine("promises", func(e *lock.Entry) { e.Tells = true }))
	if err != nil {
		t.Fatal(err)
	}
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 5}})
	for i, want := range []int{0, 5} {
		if st := c.Strategies[i]; st.Checks["told"].Violating != want {
			t.Errorf("%s: told is violated in %d of %d runs, want %d", st.Label, st.Checks["told"].Violating, st.Runs, want)
		}
	}
}

const shared = `
name: shared
duration: 20s
seeds: 5
workers: 4
processes: 2
workload: {kind: counter, hold: {dist: uniform, min: 100ms, max: 300ms}, think: 100ms}
lock: {ttl: 2s}
strategies: [mine]
`

// The shared state of the workers of a process is created again in each run: two processes have one
// each, and a run can be repeated.
func TestStateOfAProcessOutlivesNoRun(t *testing.T) {
	made, asked := 0, 0
	e := mine("mine", func(e *lock.Entry) {
		e.New = func(d lock.Deps) lock.Strategy {
			asked++
			local := lock.Shared(d.Process, "local", func() env.Sem { made++; return d.Env.NewSem(1) })
			return lock.WithLock(&leased{d, local})
		}
	})
	s, err := scenarios.Parse("shared.yaml", []byte(shared), e)
	if err != nil {
		t.Fatal(err)
	}
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 5}, Jobs: 1})
	if st := c.Strategies[0]; st.Checks["recovery"].Violating+st.Checks["ownership"].Violating > 0 || st.Acquisitions == 0 {
		t.Errorf("%d acquisitions, recovery %v, ownership %v", st.Acquisitions, st.Checks["recovery"], st.Checks["ownership"])
	}
	const workers, processes = 4, 2
	if made*workers != asked*processes || made == 0 {
		t.Errorf("%d locks of a process were made for %d workers, 4 to 2 processes", made, asked)
	}
}

// State that outlives a run makes a run that cannot be repeated, and the error says so.
func TestStateThatOutlivesARunIsReported(t *testing.T) {
	held := 0
	e := mine("mine", func(e *lock.Entry) {
		e.New = func(d lock.Deps) lock.Strategy {
			held++
			d.Instance = strings.Repeat("x", held)
			return lock.WithLock(&leased{Deps: d})
		}
	})
	s, err := scenarios.Parse("shared.yaml", []byte(shared), e)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 2}})
	var repeat *run.RepeatError
	if !errors.As(err, &repeat) || !strings.Contains(err.Error(), "Deps.Process") {
		t.Errorf("the campaign ends with %v", err)
	}
}

// A fenced lock of one's own runs in every built-in scenario, with a resource that
// compares its tokens, whatever the strategies and servers of that are.
func TestOwnFencedLockRunsInEveryBuiltinScenario(t *testing.T) {
	var fenced lock.Entry
	for _, e := range scenarios.Strategies() {
		if e.Name == "redis-fenced" {
			fenced = e
		}
	}
	fenced.Name = "mine"
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.LoadWith(name, []results.Override{{Path: "resource.fence", Value: "reads-writes"}}, fenced)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c, err := Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: []string{"mine"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, st := range c.Strategies {
			if st.Fence != "reads-writes" {
				t.Errorf("%s, %s: the fence is %s", name, st.Label, st.Fence)
			}
		}
	}
}

// What is set is judged against the strategies that are run.
func TestSettingsAreCheckedAgainstTheStrategiesThatRun(t *testing.T) {
	own := mine("mine", nil)
	fence, strategies := results.Override{Path: "resource.fence", Value: "writes"}, results.Override{Path: "strategies", Value: "[mine]"}
	tests := []struct {
		name, scenario string
		set            []results.Override
		run            []string
		want           string // in the error; "" for none
	}{
		{"a fence for one's own", "kleppmann", []results.Override{fence}, []string{"mine"}, ""},
		{"a fence for one with tokens", "kleppmann", []results.Override{fence}, []string{"redis-fenced"}, ""},
		{"a fence for one without", "kleppmann", []results.Override{fence}, []string{"redis"}, "redis hands out no token"},
		{"a fence for one that the file does not name", "kleppmann", []results.Override{fence}, []string{"redis-del"}, "redis-del hands out no token"},
		{"a fence for all of the file", "kleppmann", []results.Override{fence}, nil, "hands out no token"},
		{"other strategies, and what is expected of those of the file", "kleppmann", []results.Override{strategies}, nil, ""},
		{"other strategies, and faults of servers that they do not have", "redlock-restart", []results.Override{strategies}, nil, ""},
		{"a replica for one's own", "redlock-restart", []results.Override{{Path: "servers.replicas", Value: "1"}}, []string{"mine"}, ""},
		{"a replica for several servers", "redlock-restart", []results.Override{{Path: "servers.replicas", Value: "1"}}, []string{"redlock"}, "redlock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.LoadWith(tt.scenario, tt.set, own)
			if err == nil {
				_, err = Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: tt.run})
			}
			var setting *scenarios.SettingError
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.As(err, &setting) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want a setting and %q", err, tt.want)
			}
		})
	}
}

// A file with a lock of one's own may name servers and points that the catalogue does not have.
// Typing errors are found anyway.
func TestTypingErrorsAreFoundBesideAnOwnLock(t *testing.T) {
	own := mine("mine", func(e *lock.Entry) { e.Points = []string{"extend-called", "extend.sent"} })
	const file = `name: mistyped
duration: 10s
workers: 2
workload: {kind: counter, hold: 10ms, think: 100ms}
lock: {ttl: 1s}
strategies: [STRATEGY]
faults:
  - FAULT
`
	tests := []struct{ strategy, fault, want string }{
		{"mine", "{at: 1s, crash: {target: lock-3, for: 1s}}", ""},
		{"mine", "{at: 1s, partition: {from: worker-1, to: lock-replica, for: 1s}}", ""},
		{"mine", "{at: 1s, overload: {target: lok, service: 1ms, for: 1s}}", `did you mean "lock"?`},
		{"redis", "{at: 1s, overload: {target: lock-3, service: 1ms, for: 1s}}", `"lock-3"`},
		{"mine", "{when: {worker: worker-1, point: lease-checked}, pause: {for: 1s}}", ""},
		{"mine", "{when: {worker: worker-1, point: lease-cheked}, pause: {for: 1s}}", `unknown point "lease-cheked"; did you mean "lease-checked"?`},
		{"mine", "{when: {worker: worker-1, point: aquire.sent}, pause: {for: 1s}}", `did you mean "acquire.sent"?`},
		{"mine", "{when: {worker: worker-1, point: extend-caled}, pause: {for: 1s}}", `did you mean "extend-called"?`},
		{"redis", "{when: {worker: worker-1, point: lease-cheked}, pause: {for: 1s}}", `did you mean "lease-checked"?`},
		{"mine", "{when: {worker: worker-1, point: extend.sent}, pause: {for: 1s}}", ""},
		{"mine", "{when: {worker: worker-1, point: set.sent}, pause: {for: 1s}}", ""},
		{"mine", "{when: {worker: worker-1, point: eval.replied}, pause: {for: 1s}}", ""},
		{"mine", "{when: {worker: worker-1, point: halfway-through}, pause: {for: 1s}}", ""},
	}
	for _, tt := range tests {
		text := strings.NewReplacer("STRATEGY", tt.strategy, "FAULT", tt.fault).Replace(file)
		_, err := scenarios.Parse("mistyped.yaml", []byte(text), own)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s: %v, want %q", tt.strategy, tt.fault, err, tt.want)
		}
	}
}

// In a scenario of claims, one's own lock is held to those of its entry.
func TestOwnClaimsAreExpected(t *testing.T) {
	claims := lock.Claims{Service: []lock.Class{lock.ClassUnknown}, Corruption: []lock.Class{lock.ClassUnknown}}
	s := loadedWith(t, "redis-matrix", mine("mine", func(e *lock.Entry) { e.Claims = claims }), mine("modest", nil))
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: []string{"mine under reset", "mine under pause", "modest under reset"}})
	for i, want := range []bool{true, false, false} {
		st := c.Strategies[i]
		if got := st.Expects != nil; got != want || st.Decides != want {
			t.Errorf("%s: expected of it is %v, decides %v", st.Label, st.Expects, st.Decides)
		}
	}
	if holds := strings.Join(c.Strategies[0].Expects.Holds, " "); !strings.Contains(holds, "lost-update") || !strings.Contains(holds, "recovery") {
		t.Errorf("expected to hold are %s", holds)
	}
}

func loadedWith(t *testing.T, name string, own ...lock.Entry) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name, own...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A program without strategies of its own says that an unknown one may be in another program.
func TestUnknownStrategyMayBeOfAnotherProgram(t *testing.T) {
	const hint = "run the program that has it"
	s := loaded(t, "kleppmann")
	if _, err := Run(t.Context(), s, Request{Strategies: []string{"my-lock"}}); err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("chosen: %v", err)
	}
	text := strings.Replace(strings.Replace(shared, "[mine]", "[my-lock]", 1), "\n", "", 1)
	if _, err := scenarios.Parse("shared.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("in a file: %v", err)
	}
	if _, err := scenarios.Parse("shared.yaml", []byte(text), mine("mine", nil)); err == nil || strings.Contains(err.Error(), hint) {
		t.Errorf("in a program with locks of its own: %v", err)
	}
}
