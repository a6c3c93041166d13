package run_test

import (
	"fmt"
	"testing"

	"lockquake/history"
)

// The holder crashes with a lease of 5 s, and another worker asks for the lock until the end of the run. An acquire of a
// leader election watches the lease from its own beginning, as in client-go: with four pauses of 1 s it never sees the end of
// the lease, with five it does. The acquires of a lock in DynamoDB share what they have seen, so one without a pause is enough.
func TestALeaseIsTakenOverIfAnAcquireCanWatchItToItsEnd(t *testing.T) {
	for _, c := range []struct {
		strategy string
		attempts int
		want     bool
	}{
		{"kube-lease", 5, false},
		{"kube-lease", 6, true},
		{"dynamodb-unfenced", 1, true},
	} {
		t.Run(fmt.Sprintf("%s with %d attempts", c.strategy, c.attempts), func(t *testing.T) {
			trial := ran(t, fmt.Sprintf(`
name: takeover
duration: 60s
workers: 2
workload: {kind: counter, hold: 100ms, think: 100ms}
network: {latency: 1ms}
lock: {ttl: 5s, renew: 1s, retry: {attempts: %d, delay: 1s, jitter: 0s}}
strategies: [%s]
each: [{worker: worker-2, start: 500ms}]
faults: [{when: {worker: worker-1, point: acquired}, crash: {for: 1h}}]
`, c.attempts, c.strategy))
			entered, asked := 0, 0
			for _, e := range trial.History.Events {
				switch {
				case e.Worker != "worker-2":
				case e.Type == history.Acquired:
					entered++
				case e.Type == history.AcquireCalled:
					asked++
				}
			}
			if entered > 0 != c.want || asked < 5 {
				t.Errorf("worker 2 asked %d times and got the lock %d times, want it to get the lock: %t", asked, entered, c.want)
			}
		})
	}
}
