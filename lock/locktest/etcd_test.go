package locktest_test

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"strings"
	"testing"

	"go.etcd.io/etcd/client/v3/concurrency"

	"lockquake/internal/stats"
	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/lock/locktest/etcdclient"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// etcdMutex is a mutex of the official client with a session of its own.
type etcdMutex struct {
	*concurrency.Mutex
	session *concurrency.Session
}

// Release unlocks the mutex and ends its session.
func (m etcdMutex) Release(ctx context.Context) error {
	return errors.Join(m.Unlock(ctx), m.session.Close())
}

// heeded is a mutex whose work ends with the session.
type heeded struct{ etcdMutex }

func (h heeded) Context() context.Context { return h.session.Ctx() }

// fenced is a mutex whose revision is the token.
type fenced struct{ etcdMutex }

func (f fenced) Token() int64 { return f.Header().Revision }

// newEtcd makes a lock of the official client, whose lease is made of the mutex.
func newEtcd(of func(etcdMutex) locktest.Lease) func(locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		client, err := etcdclient.New(d)
		if err != nil {
			panic(err)
		}
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			session, err := concurrency.NewSession(client, concurrency.WithTTL(int(d.TTL.Seconds())))
			if err != nil {
				return nil, err
			}
			m := etcdMutex{concurrency.NewMutex(session, key), session}
			if err := m.Lock(ctx); err != nil {
				return nil, errors.Join(err, session.Close())
			}
			return of(m), nil
		})
	}
}

func plainEtcd(m etcdMutex) locktest.Lease  { return m }
func heededEtcd(m etcdMutex) locktest.Lease { return heeded{m} }
func fencedEtcd(m etcdMutex) locktest.Lease { return fenced{m} }

// The same seed gives the same trace, on one core and on two, also when connections break and members stop.
func TestEtcdRunsRepeat(t *testing.T) {
	times := 3
	if flag.Lookup("long").Value.String() == "true" {
		times = 500
	}
	sums := map[string]int{}
	for _, cores := range []int{1, 2} {
		for range times {
			locktest.Run(t, "testdata/etcd-faults.yaml", func(d locktest.Deps) lock.Locker {
				runtime.GOMAXPROCS(cores) // Run has set it to 1, and sets it back
				return newEtcd(heededEtcd)(d)
			}, locktest.Seeds(1), locktest.Results(func(c *results.Campaign) { sums[c.Strategies[0].Checksum]++ }))
		}
	}
	if len(sums) != 1 {
		t.Errorf("%d different runs: %v", len(sums), sums)
	}
}

// The goroutines of the client, and of its gRPC, end with the run, also those of a client that is made while the run ends.
func TestEtcdClientsEndWithTheirRun(t *testing.T) {
	late := func(d locktest.Deps) lock.Locker {
		inner := newEtcd(heededEtcd)(d)
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			go func() {
				<-ctx.Done()
				_, _ = etcdclient.New(d)
			}()
			return inner.Acquire(ctx, key)
		})
	}
	for _, test := range []struct {
		name string
		new  func(locktest.Deps) lock.Locker
	}{{"made before", newEtcd(heededEtcd)}, {"made while the run ends", late}} {
		t.Run(test.name, func(t *testing.T) {
			once := func() int {
				locktest.Run(t, "testdata/etcd-faults.yaml", test.new, locktest.Seeds(1), locktest.Results(func(*results.Campaign) {}))
				return runtime.NumGoroutine()
			}
			const times = 10
			first, last := once(), 0
			for range times {
				last = once()
			}
			if last >= first+times {
				t.Errorf("%d goroutines after the first run, and %d after %d more: at least one for each", first, last, times)
			}
		})
	}
}

// Under the same pauses the official client loses updates as often as the model of it if the work does not heed the end of
// the session, and never if the resource checks the revision. Work that heeds it fails more often than with the model, whose
// session ends when its TTL is over: the client looks for that once a second, so a pause between 2 and 3 s can pass
// unnoticed. Each of the two draws its own latencies, so they are compared as rates, with intervals of 95 %.
func TestEtcdFailsAsOftenAsItsModel(t *testing.T) {
	seeds := 20
	if flag.Lookup("long").Value.String() == "true" {
		seeds = 100
	}
	overlap := func(library, model int) bool {
		low1, high1 := stats.Wilson(library, seeds)
		low2, high2 := stats.Wilson(model, seeds)
		return low1 <= high2 && low2 <= high1
	}
	for _, test := range []struct {
		label    string // of the model
		of       func(etcdMutex) locktest.Lease
		options  []locktest.Option
		expected func(library, model int) bool
	}{
		{"unheeded", plainEtcd, []locktest.Option{locktest.Set("workload.heeds", "never")}, func(library, model int) bool { return library > 0 && overlap(library, model) }},
		{"heeded", heededEtcd, nil, func(library, model int) bool { return library > model }},
		{"fenced", fencedEtcd, []locktest.Option{locktest.Set("resource.fence", "reads-writes")}, func(library, model int) bool { return library == 0 && model == 0 }},
	} {
		t.Run(test.label, func(t *testing.T) {
			const scenario, check = "testdata/etcd-gc-pause.yaml", "lost-update"
			var library int
			locktest.Run(t, scenario, newEtcd(test.of), append(test.options, locktest.Seeds(seeds),
				locktest.Results(func(c *results.Campaign) { library = c.Strategies[0].Checks[check].Violating }))...)
			s, err := scenarios.Load(scenario)
			if err != nil {
				t.Fatal(err)
			}
			own, err := campaign.Run(t.Context(), s, campaign.Request{Strategies: []string{test.label}, Seeds: results.SeedRange{First: 1, Last: uint64(seeds)}})
			if err != nil {
				t.Fatal(err)
			}
			model := own.Strategies[0].Checks[check].Violating
			t.Logf("the client lost updates in %d of %d runs, the model in %d", library, seeds, model)
			if !test.expected(library, model) {
				t.Errorf("the client lost updates in %d of %d runs, the model in %d", library, seeds, model)
			}
		})
	}
}

// The requests of a lock have the names by which faults know them.
func TestRequestsOfEtcdHaveTheirPurpose(t *testing.T) {
	for _, point := range []string{"grant.sent", "renew.sent", "acquire.called", "acquire.sent", "queue.sent", "recheck.sent", "release.called", "release.sent", "revoke.sent"} {
		t.Run(strings.ReplaceAll(point, ".", "_"), func(t *testing.T) {
			locktest.Run(t, "etcdclient/testdata/quiet.yaml", newEtcd(plainEtcd), locktest.Seeds(1), locktest.Set("workers", "2"), locktest.Set("workload.hold", "1s"),
				locktest.Holds("lost-update"), locktest.Set("faults", "[{when: {worker: worker-2, point: "+point+", nth: 1}, pause: {for: 100ms}}]"))
		})
	}
}
