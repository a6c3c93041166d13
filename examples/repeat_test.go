package locks

import (
	"context"
	"flag"
	"runtime"
	"testing"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/scenarios/results"
)

var reruns = flag.Int("reruns", 2, "how often each run is repeated on one processor and on two")

// example runs a lock or a service of this package, and calls begin when it is made.
type example func(t *testing.T, scenario string, begin func(), options ...locktest.Option)

func ofLock(made func(locktest.Deps) lock.Locker) example {
	return func(t *testing.T, scenario string, begin func(), options ...locktest.Option) {
		t.Helper()
		locktest.Run(t, scenario, func(d locktest.Deps) lock.Locker {
			begin()
			return made(d)
		}, options...)
	}
}

func ofService(made func(locktest.Deps) func(context.Context, string, locktest.Work) error) example {
	return func(t *testing.T, scenario string, begin func(), options ...locktest.Option) {
		t.Helper()
		locktest.Do(t, scenario, func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
			begin()
			return made(d)
		}, options...)
	}
}

// The same seed gives the same run, on one processor and on two.
func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	for _, test := range []struct {
		name, scenario string
		run            example
		options        []locktest.Option
	}{
		{"redsync", "gc-pause", ofLock(newRedsync), []locktest.Option{locktest.Set("duration", "10s")}},
		{"redsync, checked", "kleppmann", ofLock(newRedsyncChecked), nil},
		{"redsync, watchdog", "gc-pause", ofLock(newRedsyncWatchdog), []locktest.Option{locktest.Set("duration", "10s")}},
		{"redsync on five servers", "gc-pause", ofLock(newRedsync), []locktest.Option{locktest.Set("duration", "10s"), locktest.Set("servers.nodes", "5")}},
		{"redsync, failover", "failover", ofLock(newRedsync), nil},
		{"redislock", "gc-pause", ofLock(newRedislock), []locktest.Option{locktest.Set("duration", "10s")}},
		{"etcd", "etcd-pause", ofLock(newEtcd(watchEtcd)), []locktest.Option{locktest.Set("duration", "3s")}},
		{"go-zookeeper", "zookeeper-suspended", ofLock(newZookeeper(unlockOnce)), nil},
		{"advisory lock", "backend-killed", ofService(newJobs), []locktest.Option{locktest.Set("duration", "10s")}},
		{"advisory lock on pgxpool", "backend-killed", ofService(newPoolJobs), []locktest.Option{locktest.Set("duration", "10s")}},
		{"leader election, paused", "kube-lease-pause", ofLock(newElection(sharing)), []locktest.Option{locktest.Set("duration", "3m")}},
		{"leader election", "lease-released-first", ofLock(newElection(sharing)), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			sums := map[string]int{}
			for _, processors := range []int{1, 2} {
				for range *reruns {
					begin := func() { runtime.GOMAXPROCS(processors) } // locktest has set it to 1, and sets it back
					test.run(t, test.scenario, begin, append(test.options, locktest.Seeds(1), locktest.Results(func(c *results.Campaign) {
						sums[c.Strategies[0].Checksum]++
					}))...)
				}
			}
			if len(sums) != 1 {
				t.Errorf("%d different runs: %v", len(sums), sums)
			}
			t.Logf("checksums: %v", sums)
		})
	}
}
