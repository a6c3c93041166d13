package locktest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/internal/bubble"
	"lockquake/internal/stall"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// setNX is a lock of a test: SET NX, retries with a timer, and a script that compares and deletes.
type setNX struct {
	d     Deps
	token string
	key   string
}

var release = goredis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)

func (l *setNX) acquire(ctx context.Context, key string) (Lease, error) {
	l.key = key
	l.token = l.d.Worker + time.Now().String()
	for {
		ok, err := l.d.Redis.SetNX(ctx, key, l.token, l.d.TTL).Result()
		if ok || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Release implements Lease.
func (l *setNX) Release(ctx context.Context) error {
	n, err := release.Run(ctx, l.d.Redis, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return lock.ErrLost
	}
	return err
}

func newSetNX(d Deps) lock.Locker { return Locker((&setNX{d: d}).acquire) }

func TestRunFindsTheFlawOfALibrary(t *testing.T) {
	Run(t, "kleppmann", newSetNX, Seeds(1), Violates("lost-update"))
}

func TestRunWithAnExpectationThatHolds(t *testing.T) {
	Run(t, "no-fault-needed", newSetNX, Seeds(2), Set("lock.ttl", "1m"), Holds("lost-update", "exclusion"))
}

// outcome runs a test of a library without failing this one.
func outcome(t *testing.T, scenario string, new func(Deps) lock.Locker, options ...Option) string {
	t.Helper()
	var text string
	withLibrary(t, scenario, lockerOf(new), options, func(r *request) {
		failure, err := r.check(context.Background())
		if text = failure; err != nil {
			text = r.explain(err).Error()
		}
	})
	return text
}

var long = flag.Bool("long", false, "repeat a run 1,000 times")

func TestWhatALibraryMustNotDo(t *testing.T) {
	var over atomic.Bool           // ends what computes for ever
	outside := make(chan struct{}) // outside of every bubble
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hung := 0
	defer func() { // a run that hung stops as soon as it can go on
		over.Store(true)
		close(outside)
		_ = listener.Close()
		stopped := func() int {
			return strings.Count(stall.Stacks("[select (no cases)", "[running]"), "bubble.(*Bubble).tell(")
		}
		for deadline := time.Now().Add(time.Minute); bubble.Hanging() != "" || stopped() < hung; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d runs stopped; still hangs: %q", stopped(), hung, bubble.Hanging())
			}
		}
	}()
	tests := []struct {
		name string
		do   func(ctx context.Context, d Deps) error
		want string
	}{
		{"a goroutine that computes for ever", func(context.Context, Deps) error {
			for !over.Load() {
				runtime.Gosched()
			}
			return nil
		}, "a goroutine computes and does not wait"},
		{"a goroutine in the background that computes for ever", func(context.Context, Deps) error {
			go func() {
				for !over.Load() {
				}
			}()
			return nil
		}, "a goroutine computes and does not wait at "},
		{"a channel from outside", func(context.Context, Deps) error {
			<-outside
			return nil
		}, "a goroutine waits for a channel that was made outside of its process"},
		{"the network", func(context.Context, Deps) error {
			_, err := listener.Accept()
			return err
		}, "a goroutine waits for the network: give the library the clients of Deps"},
		{"a panic", func(context.Context, Deps) error { panic("bad") }, "the lock panics: bad at "},
		{"random numbers without a seed", func(ctx context.Context, d Deps) error {
			return d.Redis.Set(ctx, "x", rand.Uint64(), 0).Err()
		}, "math/rand/v2, a select over several ready channels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.want, "a goroutine ") {
				defer func(before time.Duration) { hangAfter = before }(hangAfter)
				hangAfter = 500 * time.Millisecond
			}
			t.Chdir(t.TempDir()) // for the token of the failure
			got := outcome(t, "no-fault-needed", func(d Deps) lock.Locker {
				return Locker(func(ctx context.Context, key string) (Lease, error) {
					if err := test.do(ctx, d); err != nil {
						return nil, err
					}
					return newSetNX(d).Acquire(ctx, key)
				})
			}, Seeds(1))
			if strings.Contains(got, "does not go on") {
				hung++
			}
			if !strings.Contains(got, test.want) || strings.Contains(got, "\n") {
				t.Errorf("got %q\nwant %q in one line", got, test.want)
			}
		})
	}
}

// A goroutine waits for a mutex that another one holds during a request.
func TestAMutexThatIsHeldDuringARequest(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			var mu sync.Mutex
			asked := false
			go func() {
				mu.Lock()
				defer mu.Unlock()
				d.Redis.Get(ctx, "x")
				asked = true
			}()
			time.Sleep(time.Microsecond)
			mu.Lock()
			defer mu.Unlock()
			if !asked {
				t.Error("the mutex was free during the request")
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(2), Set("lock.ttl", "1m"), Holds("lost-update"))
}

// Nothing is wrong with a goroutine that waits for ever for another one of its process: it ends with the program.
func TestAGoroutineThatWaitsForEver(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		go func() { <-make(chan struct{}) }()
		return newSetNX(d)
	}, Seeds(2), Set("lock.ttl", "1m"), Holds("lost-update"))
}

func TestAParallelTest(t *testing.T) {
	t.Parallel()
	if err := seedable(t); err == nil || !strings.Contains(err.Error(), "cannot be parallel") {
		t.Errorf("got %v", err)
	}
}

// A library's process follows the monotonic clock of its node only.
func TestFaultsThatALibraryCannotMeet(t *testing.T) {
	for fault, want := range map[string]string{
		"{at: 1s, clock-step: {target: worker-1, by: 1s, for: 1s}}":                               "steps the clock of a worker",
		"{at: 1s, clock-rate: {target: worker-1, ppm: 100000, for: 1s}}":                          "wall clock alone",
		"{at: 1s, clock-rate: {target: worker-1, ppm: 100000, for: 1s, clock: monotonic}}":        "",
		"{at: 1s, clock-step: {target: lock, by: 1s, for: 1s}}":                                   "",
		"{at: 1s, stall: {target: worker-1, task: main, for: 1s}}":                                "stalls a task by its name",
		"{when: {worker: worker-1, point: acquired, nth: 1}, pause: {target: worker-2, for: 1s}}": "",
	} {
		s, err := scenarios.Parse("x.yaml", []byte("name: x\nworkers: 2\nduration: 5s\nworkload: {kind: counter}\nstrategies: [redis]\nchecks: [lost-update]\nfaults:\n  - "+fault+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := (&library{}).suits(s); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// releases counts the calls of the method that releases a lease.
type (
	released      struct{ times int }
	byRelease     struct{ *released }
	byUnlock      struct{ *released }
	byUnlockTells struct{ *released }
	byContext     struct{ *released }
	byClose       struct{ *released }
)

func (r byRelease) Release()                                    { r.times++ }
func (r byUnlock) Unlock() error                                { r.times++; return nil }
func (r byUnlockTells) Unlock() (bool, error)                   { r.times++; return true, nil }
func (r byContext) UnlockContext(context.Context) (bool, error) { r.times++; return true, nil }
func (r byClose) Close(context.Context)                         { r.times++ }
func (r byContext) Unlock() (bool, error)                       { panic("it takes no context") }
func (r byClose) Unlock(string) error                           { panic("not this one") }

// Any of the methods releases a lease, with a context or without, whatever it returns. UnlockContext comes before Unlock.
func TestTheMethodsThatReleaseALease(t *testing.T) {
	count := new(released)
	for i, of := range []Lease{byRelease{count}, byUnlock{count}, byUnlockTells{count}, byContext{count}, byClose{count}} {
		l, err := Locker(func(context.Context, string) (Lease, error) { return of, nil }).Acquire(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Release(t.Context()); err != nil || count.times != i+1 {
			t.Errorf("%T: %v, released %d times", of, err, count.times)
		}
	}
}

// A lease without such a method ends the run with a line that names its type.
func TestALeaseWithoutARelease(t *testing.T) {
	t.Chdir(t.TempDir()) // for the token of the failure
	for _, of := range []Lease{5, nil} {
		got := outcome(t, "no-fault-needed", func(Deps) lock.Locker {
			return Locker(func(context.Context, string) (Lease, error) { return of, nil })
		}, Seeds(1))
		if !strings.Contains(got, fmt.Sprintf("%T has no method Release", of)) || strings.Contains(got, "\n") {
			t.Errorf("got %q", got)
		}
	}
}

func TestErrorsOfALibrary(t *testing.T) {
	bad := errors.New("bad")
	for _, test := range []struct{ from, want error }{
		{bad, lock.ErrUnknown},
		{lock.ErrNotObtained, lock.ErrNotObtained},
	} {
		_, err := Locker(func(context.Context, string) (Lease, error) { return nil, test.from }).Acquire(t.Context(), "x")
		if !errors.Is(err, test.want) || !errors.Is(err, test.from) {
			t.Errorf("%v becomes %v", test.from, err)
		}
	}
}

func TestDoRunsAService(t *testing.T) {
	Do(t, "kleppmann", func(d Deps) func(context.Context, string, Work) error {
		return func(ctx context.Context, key string, work Work) error {
			lease, err := (&setNX{d: d}).acquire(ctx, key)
			if err != nil {
				return err
			}
			err = work(ctx, 0)
			return errors.Join(err, lease.(*setNX).Release(ctx))
		}
	}, Seeds(1), Violates("lost-update"))
}

func TestExploreFindsThePause(t *testing.T) {
	Explore(t, "kleppmann", newSetNX, Violates("lost-update", "exclusion"))
}

// The same seed gives the same trace, on one core and on two.
func TestRunsRepeat(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	times := 10
	if *long {
		times = 500
	}
	sums := map[string]int{}
	withLibrary(t, "gc-pause", lockerOf(newSetNX), nil, func(r *request) {
		s, err := r.load("gc-pause", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Duration = 5 * time.Second
		for _, cores := range []int{1, 2} {
			runtime.GOMAXPROCS(cores)
			for range times {
				trial, err := run.Once(s, run.Request{Label: r.entry.Name, Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				sums[trial.Checksum]++
			}
		}
	})
	if len(sums) != 1 {
		t.Errorf("%d different runs: %v", len(sums), sums)
	}
}

// The scenario steps the clock of a worker, which no process of a library can follow. Explore removes that fault.
func TestExploreJudgesNoFaultThatItRemoves(t *testing.T) {
	t.Chdir(t.TempDir())
	path := write(t, "stepped.yaml", strings.Replace(paused, "faults:", "faults:\n  - {at: 1s, clock-step: {target: worker-1, by: 1s, for: 1s}}", 1))
	Explore(t, path, newSetNX, Violates("lost-update"))
	if got := outcome(t, path, newSetNX, Seeds(1)); !strings.Contains(got, "steps the clock of a worker") {
		t.Errorf("Run accepts it: %s", got)
	}
}

func TestExploreRefusesOptionsThatItCannotHeed(t *testing.T) {
	for want, option := range map[string]Option{
		"locktest: Seeds(3): Explore has one run for each place": Seeds(3),
		`did you mean "pause"?`:                                  Kinds("pauze"),
		"no kind of fault to place is named":                     Kinds(),
	} {
		withLibrary(t, "kleppmann", lockerOf(newSetNX), []Option{option}, func(r *request) {
			if _, err := r.explore(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "locktest: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// A fencing token protects the resource whatever is paused, late, lost or crashed. The errors of the library are its own.
func TestExploreJudgesNoErrorsOfAFencedLibraryUnlessTheyAreNamed(t *testing.T) {
	text := func(options ...Option) (failure string) {
		t.Helper()
		options = append(options, Set("resource.fence", "reads-writes"))
		withLibrary(t, "kleppmann", lockerOf(newFenced), options, func(r *request) {
			var err error
			if failure, err = r.explore(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		return failure
	}
	if got := text(Kinds("pause", "hold", "drop", "crash")); got != "" {
		t.Errorf("a correct lock fails:\n%s", got)
	}
	got := text(Kinds("drop", "server-crash"))
	if !strings.Contains(got, "the resource is corrupted by ") || !strings.Contains(got, " crash lock data lost for 10ms") || !strings.Contains(got, "tried ") {
		t.Errorf("a server without its data does no harm:\n%s", got)
	}
	// The label of this test is as long as one can be.
	if strings.Contains(got, "left out for the width") || !strings.Contains(got, "  harmful  tried  first harmful placement\n") || !strings.Contains(got, "  break fencing  break others  ") {
		t.Errorf("a row is broken, or lacks a column:\n%s", got)
	}
	for _, check := range []string{"told", "errors"} {
		if strings.Contains(got, check) {
			t.Errorf("%s judges the library:\n%s", check, got)
		}
	}
	if got := text(Kinds("drop"), Holds("errors")); !strings.Contains(got, "errors is violated by ") {
		t.Errorf("errors does not judge although it is named:\n%s", got)
	}
}

// fenced is a lock with a fencing token whose errors wrap none of package lock.
type fenced struct {
	setNX
	number int64
}

var (
	errOthers = errors.New("others have the lock")
	takeToken = goredis.NewScript(`if redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) then return redis.call("incr", KEYS[1] .. ":token") else return 0 end`)
)

func newFenced(d Deps) lock.Locker {
	return Locker(func(ctx context.Context, key string) (Lease, error) {
		l := &fenced{setNX: setNX{d: d, key: key, token: d.Worker + time.Now().String()}}
		for range 300 {
			var err error
			l.number, err = takeToken.Run(ctx, d.Redis, []string{key}, l.token, d.TTL.Milliseconds()).Int64()
			if l.number > 0 || err != nil {
				return l, err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return nil, errOthers
	})
}

// Token returns the fencing token.
func (l *fenced) Token() int64 { return l.number }

// Release implements Lease.
func (l *fenced) Release(ctx context.Context) error {
	if n, err := release.Run(ctx, l.d.Redis, []string{l.key}, l.token).Int(); err != nil || n == 0 {
		return errors.Join(err, errOthers)
	}
	return nil
}

// The servers of a library are those of the first lock, after the values that the test sets.
func TestTheServersOfALibrary(t *testing.T) {
	for _, test := range []struct {
		scenario string
		options  []Option
		family   string
		nodes    int
	}{
		{"kleppmann", nil, "redis", 1},
		{"redlock-freeze", nil, "redis", 5},
		{"kleppmann", []Option{Set("strategies", "[redlock]")}, "redis", 5},
		{"kleppmann", []Option{Set("servers.nodes", "3")}, "redis", 3},
		{"kleppmann", []Option{Set("strategies", "[none, pg-advisory-session]")}, "postgres", 1},
	} {
		withLibrary(t, test.scenario, lockerOf(newSetNX), test.options, func(r *request) {
			if r.entry.Family != test.family || max(r.entry.Topology.Nodes, 1) != test.nodes {
				t.Errorf("%s: %q and %+v, want %q and %d servers", test.scenario, r.entry.Family, r.entry.Topology, test.family, test.nodes)
			}
		})
	}
}
