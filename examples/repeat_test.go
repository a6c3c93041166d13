package locks

import (
	"flag"
	"runtime"
	"testing"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/scenarios/results"
)

var reruns = flag.Int("reruns", 2, "how often each run is repeated on one processor and on two")

// The same seed gives the same run, on one processor and on two.
func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	for _, test := range []struct {
		name, scenario string
		new            func(locktest.Deps) lock.Locker
		options        []locktest.Option
	}{
		{"redsync", "gc-pause", newRedsync, []locktest.Option{locktest.Set("duration", "10s")}},
		{"redsync, checked", "kleppmann", newRedsyncChecked, nil},
		{"redsync, watchdog", "gc-pause", newRedsyncWatchdog, []locktest.Option{locktest.Set("duration", "10s")}},
		{"redsync on five servers", "gc-pause", newRedsync, []locktest.Option{locktest.Set("duration", "10s"), locktest.Set("servers.nodes", "5")}},
		{"redsync, failover", "failover", newRedsync, nil},
		{"redislock", "gc-pause", newRedislock, []locktest.Option{locktest.Set("duration", "10s")}},
		{"etcd", "etcd-pause", newEtcd(watchEtcd), []locktest.Option{locktest.Set("duration", "3s")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sums := map[string]int{}
			for _, processors := range []int{1, 2} {
				for range *reruns {
					locktest.Run(t, test.scenario, func(d locktest.Deps) lock.Locker {
						runtime.GOMAXPROCS(processors) // Run has set it to 1, and sets it back
						return test.new(d)
					}, append(test.options, locktest.Seeds(1), locktest.Results(func(c *results.Campaign) {
						sums[c.Strategies[0].Checksum]++
					}))...)
				}
			}
			if len(sums) != 1 {
				t.Errorf("%d different runs: %v", len(sums), sums)
			}
		})
	}
}
