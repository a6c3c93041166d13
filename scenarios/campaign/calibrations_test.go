package campaign

import (
	"fmt"
	"math"
	"testing"

	"lockquake/scenarios/results"
)

// Rates that a closed form gives. Worker-1 takes the lock at the begin, a few
// milliseconds late for its dial, and holds it; worker-2 waits. Exclusion is
// violated if and only if the lock is lost while worker-1 holds it, and early
// enough for worker-2 to come in.
func TestRatesOfServerFaults(t *testing.T) {
	const text = `
name: calibration
duration: %s
workers: 2
sections: 1
workload: {kind: counter, hold: %s}
network: {latency: 1ms}
lock: {ttl: %s, retry: {attempts: unlimited, delay: %s, jitter: 0s}}
servers: %s
strategies: [%s]
each: [{worker: worker-2, start: 50ms}]
faults: [%s]
checks: [exclusion]
`
	for _, test := range []struct {
		name string
		args []any
		want float64
	}{
		{
			// The write reaches the replica after L, the failover comes F after the
			// grant; the key is lost if L > F. L is uniform in [0, 1 s], F in
			// [0.1 s, 1.1 s]: (1 - 0.1)^2 / 2. Worker-2 asks seldom, since who asks
			// just then has its connection reset and gives up.
			"failover inside the lag",
			[]any{
				"1200ms", "2s", "60s", "200ms", "{replicas: 1, lag: {dist: uniform, min: 0s, max: 1s}}", "redis-replica",
				"failover: {every: {dist: uniform, min: 100ms, max: 1100ms}}",
			},
			0.405,
		},
		{
			// The first eviction comes after an exponential time of mean 2 s; the key
			// is lost if that is before the 1 s of work are over.
			"eviction at a known rate",
			[]any{"1s", "1s", "60s", "5ms", "{}", "redis", "evict: {key: resource-1, every: {dist: exponential, mean: 2s}}"},
			1 - math.Exp(-0.5),
		},
		{
			// The server's clock jumps 8 s ahead at a moment that is uniform in
			// [0, 10 s]. What remains of a lease of 10 s is over at once, or 2 s after
			// its begin, so the lock is lost if the step comes within the 6 s of work.
			"clock step beyond the remaining lease",
			[]any{"12s", "6s", "10s", "5ms", "{}", "redis", "clock-step: {target: lock, by: 8s, every: {dist: uniform, min: 0s, max: 10s}, for: 12s}"},
			0.6,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parseText(t, fmt.Sprintf(text, test.args...))
			runs := 2000
			if testing.Short() {
				runs = 400
			}
			c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: uint64(runs)}})
			// Four standard deviations, and 1.5 % for what the closed form leaves out:
			// the milliseconds of dials and retries.
			got := c.Strategies[0].Rate
			if tolerance := 4*math.Sqrt(test.want*(1-test.want)/float64(runs)) + 0.015; math.Abs(got-test.want) > tolerance {
				t.Errorf("rate %.4f of %d runs, the closed form says %.4f", got, runs, test.want)
			}
			t.Logf("rate %.4f, closed form %.4f", got, test.want)
		})
	}
}
