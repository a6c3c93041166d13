package locks

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/bsm/redislock"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

var seeds = flag.Int("seeds", 0, "seeds of each comparison of rates; 0: few")

// newPatientRedislock is bsm/redislock with a deadline that is later than any lease, so that it does not give up after
// one lease.
func newPatientRedislock(d locktest.Deps) lock.Locker {
	client := redislock.New(d.Redis)
	options := &redislock.Options{RetryStrategy: redislock.LinearBackoff(125 * time.Millisecond)}
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		ctx, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		return client.Obtain(ctx, key, d.TTL, options)
	})
}

// A library loses as many updates as the lock of lockquake with the same parts, under the same seeds: the intervals of
// the two rates overlap.
func TestTheRatesAreThoseOfOurOwnLocks(t *testing.T) {
	// Neither the goroutine nor the holder checks the clock, so both learn of a loss from the answer to the next renewal.
	lateRenewal := []results.Override{{Path: "lock.renewal", Value: "late"}}
	for _, test := range []struct {
		library  string
		run      example
		scenario string
		check    string
		seeds    int
		own      string
		set      []results.Override // for our own lock
	}{
		{"redsync", ofLock(newRedsync), "kleppmann", "lost-update", 5, "redis", nil},
		{"redsync, checked", ofLock(newRedsyncChecked), "kleppmann", "lost-update", 5, "redis-checked", nil},
		{"redsync, watchdog", ofLock(newRedsyncWatchdog), "kleppmann", "lost-update", 5, "redis-watchdog", nil},
		{"redislock, patient", ofLock(newPatientRedislock), "kleppmann", "lost-update", 5, "redis", nil},
		{"redsync", ofLock(newRedsync), "gc-pause", "lost-update", 20, "redis", nil},
		{"redsync, checked", ofLock(newRedsyncChecked), "gc-pause", "lost-update", 20, "redis-checked", nil},
		{"redsync, watchdog", ofLock(newRedsyncWatchdog), "gc-pause", "lost-update", 20, "redis-watchdog-cancel", lateRenewal},
		{"redislock", ofLock(newRedislock), "gc-pause", "lost-update", 20, "redis", nil},
		{"redsync", ofLock(newRedsync), "redlock-freeze", "exclusion", 5, "redlock", nil},
		{"redsync", ofLock(newRedsync), "failover", "exclusion", 20, "redis-replica", nil},
		{"redislock", ofLock(newRedislock), "failover", "exclusion", 20, "redis-replica", nil},
		{"go-zookeeper", ofLock(newZookeeper(unlockOnce)), "zookeeper-suspended", "lost-update", 5, "zookeeper-suspended-ok", nil},
		{"go-zookeeper, connection heeded", ofLock(newZookeeper(whileConnected)), "zookeeper-suspended", "lost-update", 5, "zookeeper-unfenced", nil},
		{"database/sql", ofService(newJobs), "backend-killed", "exclusion", 10, "pg-advisory-session", nil},
		{"pgxpool", ofService(newPoolJobs), "backend-killed", "exclusion", 10, "pg-advisory-session", nil},
		{"client-go", ofLock(newElection(sharing)), "kube-lease-pause", "lost-update", 10, "kube-lease", nil},
		{"client-go", ofLock(newElection(sharing)), "lease-released-first", "lost-update", 10, "lease-release-first", nil},
		{"client-go, after the work", ofLock(newElection(context.WithoutCancel)), "lease-released-first", "lost-update", 10, "kube-lease", nil},
	} {
		t.Run(test.scenario+" "+test.library, func(t *testing.T) {
			n := test.seeds
			if *seeds > 0 {
				n = *seeds
			}
			var library *results.Campaign
			test.run(t, test.scenario, func() {}, locktest.Seeds(n), locktest.Results(func(c *results.Campaign) { library = c }))
			s, err := scenarios.LoadWith(test.scenario, test.set)
			if err != nil {
				t.Fatal(err)
			}
			own, err := campaign.Run(t.Context(), s, campaign.Request{
				Seeds: results.SeedRange{First: 1, Last: uint64(n)}, Strategies: []string{test.own},
			})
			if err != nil {
				t.Fatal(err)
			}
			a, b := library.Strategies[0].Checks[test.check].PerRun, own.Strategies[0].Checks[test.check].PerRun
			t.Logf("%s, %s, seeds 1 to %d: %s %.1f %% (%.1f to %.1f %%), %s %.1f %% (%.1f to %.1f %%)", test.scenario, test.check, n,
				test.library, 100*a.Rate, 100*a.Low, 100*a.High, test.own, 100*b.Rate, 100*b.Low, 100*b.High)
			if a.Low > b.High || b.Low > a.High {
				t.Errorf("the intervals do not overlap")
			}
		})
	}
}
