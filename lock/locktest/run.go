package locktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/faults"
	"lockquake/internal/bubble"
	"lockquake/lock"
	"lockquake/lock/etcd"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
	"lockquake/sim"
)

// Run runs a scenario with an unmodified lock library, with its own goroutines, timers, contexts and select, and fails the test
// unless everything is as expected. New makes the lock of a worker, once for each life of its process, from the clients in Deps.
// The servers are those of the first lock in the scenario, so that redlock-freeze has five. The scenario and the options are those
// of [RunEntry]. Without [Holds] and [Violates] every check decides except those that find no harm, and told and errors: the errors
// of a library are its own. To have these judged too, return errors that wrap lock.ErrNotObtained, lock.ErrLost and
// lock.ErrUnknown, and name the checks.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, "gc-pause", func(d locktest.Deps) lock.Locker {
//			rs := redsync.New(goredis.NewPool(d.Redis))
//			return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
//				m := rs.NewMutex(key, redsync.WithExpiry(d.TTL))
//				return m, m.LockContext(ctx)
//			})
//		}, locktest.Seeds(200), locktest.Holds("lost-update"))
//	}
//
// Each process of a worker is a synctest bubble. Its random numbers of crypto/rand and math/rand are those
// of the seed. The global functions of math/rand/v2, a select over several ready channels and the order of a map
// cannot be repeated; the first seed runs twice, and the test fails if the two runs differ. Run is not for a
// parallel test. More than ten seeds are divided among one process of the test program per processor (-lockquake.jobs).
// The results are those of a single process. A test whose last run failed begins with the run that failed.
func Run(t *testing.T, scenario string, new func(Deps) lock.Locker, options ...Option) { //nolint:predeclared // new makes a lock
	t.Helper()
	withLibrary(t, scenario, lockerOf(new), options, func(r *request) {
		t.Helper()
		r.run(t)
	})
}

// lockerOf makes a strategy of the lock of a worker.
func lockerOf(new func(Deps) lock.Locker) func(process, Deps) lock.Strategy { //nolint:predeclared // new makes a lock
	return func(p process, d Deps) lock.Strategy { return lock.WithLock(&foreign{process: p, locker: new(d)}) }
}

// Work is the work of a scenario for [Do]. It uses the fencing token of the lock, 0 for none. It heeds the end
// of the context as far as the scenario says.
type Work func(ctx context.Context, token int64) error

// Do is [Run] for a whole service, which locks, works and releases in its own way. New makes the service of a
// worker: a function that does the work under the lock of the key. It returns nil if the work was done.
//
//	locktest.Do(t, "gc-pause", func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
//		service := newService(d.DB)
//		return func(ctx context.Context, key string, work locktest.Work) error {
//			return service.Exclusively(ctx, key, func(ctx context.Context) error { return work(ctx, 0) })
//		}
//	})
func Do(t *testing.T, scenario string, new func(Deps) func(ctx context.Context, key string, work Work) error, options ...Option) { //nolint:predeclared // new makes a service
	t.Helper()
	withLibrary(t, scenario, func(p process, d Deps) lock.Strategy { return &service{p, new(d)} }, options, func(r *request) {
		t.Helper()
		r.run(t)
	})
}

// withLibrary makes the request of a test whose lock runs in bubbles, and passes it on. The runs take place on one
// processor, between whose goroutines they switch all the time.
func withLibrary(t *testing.T, scenario string, make func(process, Deps) lock.Strategy, options []Option, do func(*request)) {
	t.Helper()
	if err := seedable(t); err != nil {
		t.Fatal(err)
	}
	if err := bubble.LateTimers(t); err != nil {
		t.Logf("locktest: %v; after a pause, code behind a late timer reads the time of the timer, and not that of the waking", err)
	}
	watchForACrash()
	l := &library{t: t, make: make}
	defer l.ended.Store(true)
	r := newRequest(t, scenario, lock.Entry{
		Name: nameOf(t), Doc: "the lock of " + t.Name(), New: l.strategy,
		Points: []string{"acquire.called", "release.called", "connect.called", "query.called"},
	}, options)
	r.library = l
	r.entry.Family, r.entry.Topology = r.serversOf()
	if r.entry.Family == etcd.Name {
		r.entry.Records = func(key string) []string { return []string{key + "/"} }
	}
	r.cores = runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(r.cores)
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(rareGC))
	}
	do(r)
}

// rareGC is the percentage of the garbage collector during the runs, which allocate much and keep little. Collecting less often
// costs some megabytes and saves a tenth of the time.
const rareGC = 400

// serversOf returns the family and the number of servers on which the first lock of the scenario runs.
func (r *request) serversOf() (string, lock.Topology) {
	s, err := scenarios.LoadWith(r.scenario, r.overrides, r.entry)
	if err != nil {
		return "", lock.Topology{} // which is said when it is loaded to run
	}
	for _, use := range s.Strategies {
		for _, e := range scenarios.Strategies() {
			if e.Name != use.Name || e.LockFree || e.Family == "" {
				continue
			}
			var servers scenarios.Servers
			s.Servers.Apply(&servers)
			if servers.Nodes > 0 { // a lock of one server would keep it
				e.Topology.Nodes = servers.Nodes
			}
			return e.Family, e.Topology
		}
	}
	return "", lock.Topology{}
}

// ofLibrary returns the checks that judge a library. The checks told and errors do only if the options name them.
func (r *request) ofLibrary(checks []string) []string {
	return slices.DeleteFunc(slices.Clone(checks), func(name string) bool {
		return (name == "told" || name == "errors") && !slices.Contains(r.expect.Holds, name) && !slices.Contains(r.expect.Violates, name)
	})
}

// hangAfter is the time, in real time, after which a run that does not go on is said to hang.
var hangAfter = 10 * time.Second //nolint:gochecknoglobals // tests do not wait that long

// nameOf names the strategy of a test.
func nameOf(t *testing.T) string {
	const longest = 64
	name := regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(t.Name(), "-")
	return name[:min(len(name), longest)]
}

// seedable returns an error if the test is parallel, so that the random numbers of the program cannot be
// seeded for it.
func seedable(t *testing.T) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("locktest: Run seeds the random numbers of the whole program, so its test cannot be parallel: leave out t.Parallel (%v)", v)
		}
	}()
	bubble.Seed(t, 1)
	return nil
}

// suits prepares for a scenario, or returns why its faults cannot reach a bubble.
func (l *library) suits(s *scenarios.Scenario) error {
	workers := s.WorkerNames()
	crossing := false
	for i, spec := range s.Faults {
		ofWorker := slices.ContainsFunc(faults.Names(spec.Fault), func(n string) bool { return n == faults.EachWorker || slices.Contains(workers, n) })
		switch f := spec.Fault.(type) {
		case *faults.ClockStep:
			if ofWorker {
				return fmt.Errorf("locktest: fault %d of %s steps the clock of a worker, which the process of a library cannot follow: use RunEntry", i+1, s.Name)
			}
		case *faults.ClockRate:
			if ofWorker && f.Clock != faults.ClockMonotonic {
				return fmt.Errorf("locktest: fault %d of %s changes the rate of a worker's wall clock alone, which the process of a library cannot follow: use RunEntry, or clock: monotonic", i+1, s.Name)
			}
		case *faults.Stall:
			return fmt.Errorf("locktest: fault %d of %s stalls a task by its name, and the goroutines of a library have none", i+1, s.Name)
		}
		crossing = crossing || spec.When != nil && slices.ContainsFunc(faults.Names(spec.Fault), func(n string) bool {
			return n != "" && n != spec.When.Worker && (n == faults.EachWorker || slices.Contains(workers, n))
		})
	}
	l.bound = func(w *sim.World) {
		if crossing {
			w.BoundLookAhead(time.Millisecond)
		}
	}
	return nil
}

// explain adds what a library can do about the error of a run.
func (r *request) explain(err error) error {
	if hang, ok := errors.AsType[*run.HangError](err); ok {
		if why := bubble.Hanging(); why != "" {
			return fmt.Errorf("locktest: the library does not go on: %s (after %v)", why, hang.After)
		}
	}
	if differs, ok := errors.AsType[*run.RepeatError](err); ok {
		return fmt.Errorf("locktest: seed %d gives two different runs (%s and %s): the library uses math/rand/v2, a select over several ready channels, the order of a map, or state that outlives a run",
			differs.Seed, differs.Now, differs.Then)
	}
	of, ok := errors.AsType[*run.Error](err)
	if !ok || r.library == nil {
		return err
	}
	if exit, ok := errors.AsType[*bubble.ExitError](err); ok {
		return fmt.Errorf("locktest: %w%s", exit, r.repeatedBy(of))
	}
	if panicked, ok := errors.AsType[*sim.PanicError](err); ok {
		servers := ""
		if of, ok := errors.AsType[runtime.Error](err); ok && strings.Contains(of.Error(), "nil pointer") {
			servers = fmt.Sprintf(" (%s runs on %s, so the clients of other servers in Deps are nil)", r.scenario, r.entry.Family)
		}
		return fmt.Errorf("locktest: the lock panics: %v at %s%s%s", panicked.Value, bubble.PlaceOf(panicked.Stack), servers, r.repeatedBy(of))
	}
	return err
}

// repeatedBy says how a run is repeated that failed: by a command, or by the same test for a placement of [Explore].
func (r *request) repeatedBy(failed *run.Error) string {
	switch {
	case r.library.rerun != nil:
		return "; run it again with: " + r.library.rerun(failed.Seed)
	case len(failed.Places) > 0:
		return ", with the placement " + strings.Join(failed.Places, " and ")
	}
	return ""
}
