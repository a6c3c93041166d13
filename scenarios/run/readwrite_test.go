package run_test

import (
	"fmt"
	"slices"
	"strings"
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
// Worker-1, a writer, asks for it after 0.9 s, and worker-3, a reader, asks once after 1.1 s. The mark of the writer lasts for
// three pauses, 1.2 s. It stays if the writer cannot reach the server when it gives up. The first request of the writer is the
// script by its name, which the server does not know yet; the second one is the attempt.
func TestAWriterThatGivesUpKeepsNoReaderOut(t *testing.T) {
	cancelled := "faults: [{at: 1s, cancel: {target: worker-1}}]"
	for _, c := range []struct {
		name, attempts, faults string
		want                   history.Class
	}{
		{"after one attempt", "1", "", history.ClassOK},
		{"not at all", "unlimited", "", history.ClassNotObtained},
		{"when it is cancelled between two attempts", "unlimited", cancelled, history.ClassOK},
		{"when it is cancelled during an attempt", "unlimited", "faults: [{when: {worker: worker-1, point: acquire.sent, nth: 2}, cancel: {}}]", history.ClassOK},
		{"after an attempt whose answer is lost", "unlimited", "faults: [{when: {worker: worker-1, point: acquire.sent, nth: 2}, partition: {from: lock, to: worker-1, mode: drop, for: 50ms}}]", history.ClassOK},
		{"cancelled while it is cut off", "unlimited", strings.Replace(cancelled, "[", "[{at: 950ms, partition: {from: worker-1, to: lock, mode: drop, for: 5s}}, ", 1), history.ClassNotObtained},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := ran(t, fmt.Sprintf(`
name: gives-up
duration: 3s
workers: 3
sections: 1
resources: 2
workload: {kind: read-write, hold: 1s}
network: {latency: 1ms}
client: {read-timeout: 100ms}
strategies: [redis-rwlock]
each:
  - {worker: worker-1, start: 900ms, lock: {retry: {attempts: %s, delay: 400ms, jitter: 0s}}}
  - {worker: worker-3, start: 1100ms, lock: {retry: {attempts: 1}}}
%s
`, c.attempts, c.faults))
			var got []history.Class
			for _, e := range trial.History.Events {
				if e.Type == history.Released && e.Worker == "worker-3" {
					got = append(got, e.Class)
				}
			}
			if !slices.Equal(got, []history.Class{c.want}) {
				t.Errorf("worker-3 is answered %q, want %q once", got, c.want)
			}
			sound(t, trial, "errors", "exclusion", "torn-read")
		})
	}
}
