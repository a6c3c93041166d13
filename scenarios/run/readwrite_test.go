package run_test

import (
	"fmt"
	"testing"

	"lockquake/history"
	"lockquake/lock"
)

// Under a lock for readers two readers are inside at once, and never a reader beside the writer. Under
// an ordinary lock no two sections are.
func TestReadersShareALockThatHasAModeForThem(t *testing.T) {
	for strategy, shares := range map[string]bool{"pg-advisory-shared": true, "lock-manager": true, "redis-rwlock": true, "pg-advisory-session": false, "redis": false} {
		trial := ran(t, fmt.Sprintf(`
name: readers
duration: 20s
workers: 4
resources: 2
workload: {kind: read-write, hold: 50ms, think: 20ms}
network: {latency: 1ms}
strategies: [%s]
`, strategy))
		inside := map[string]bool{} // and whether it shares the lock
		mode := map[string]bool{}
		together := 0
		for _, e := range trial.History.Events {
			switch e.Type {
			case history.AcquireCalled:
				mode[e.Worker] = e.Mode == string(lock.ModeShared)
				if reader := e.Worker != "worker-1"; mode[e.Worker] != (reader && shares) {
					t.Errorf("%s: %s asks in mode %q", strategy, e.Worker, e.Mode)
				}
			case history.Acquired:
				for other, shared := range inside {
					if together++; !shared || !mode[e.Worker] {
						t.Errorf("%s: %s enters at %v beside %s", strategy, e.Worker, e.At, other)
					}
				}
				inside[e.Worker] = mode[e.Worker]
			case history.ReleaseCalled:
				delete(inside, e.Worker)
			default:
			}
		}
		if together > 0 != shares {
			t.Errorf("%s: %d sections began beside another one", strategy, together)
		}
		sound(t, trial, "torn-read", "exclusion", "belief", "recovery", "errors", "ownership", "progress")
	}
}
