package run_test

import (
	"fmt"
	"slices"
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

// A writer that is refused keeps new readers out as long as it tries again. Worker-2, a reader, has the lock for a second.
// Worker-1, a writer, asks for it after 0.9 s, and worker-3, a reader, asks once after 1.1 s.
func TestAWriterThatGivesUpKeepsNoReaderOut(t *testing.T) {
	for attempts, want := range map[string]history.Class{"1": history.ClassOK, "unlimited": history.ClassNotObtained} {
		trial := ran(t, fmt.Sprintf(`
name: gives-up
duration: 3s
workers: 3
sections: 1
resources: 2
workload: {kind: read-write, hold: 1s}
network: {latency: 1ms}
strategies: [redis-rwlock]
each:
  - {worker: worker-1, start: 900ms, lock: {retry: {attempts: %s, delay: 400ms, jitter: 0s}}}
  - {worker: worker-3, start: 1100ms, lock: {retry: {attempts: 1}}}
`, attempts))
		var got []history.Class
		for _, e := range trial.History.Events {
			if e.Type == history.Released && e.Worker == "worker-3" {
				got = append(got, e.Class)
			}
		}
		if !slices.Equal(got, []history.Class{want}) {
			t.Errorf("with %s attempts of the writer, worker-3 is answered %q, want %q once", attempts, got, want)
		}
		sound(t, trial, "errors", "exclusion", "torn-read")
	}
}
