package run_test

import (
	"strings"
	"testing"

	"lockquake/scenarios/internal/runtest"
)

// The reply to worker 1's SET NX is lost. It waits 500 ms for it, from the
// sending at 4.03 ms. A client that resends, after 10 ms, a dial, HELLO and SET
// of 2.01 ms each, finds its own key and believes the refusal: no worker holds the
// lock, and it stays taken until it expires with millisecond 1006. A client that
// does not resend reports an unknown outcome, and the lock cleans up: a dial,
// HELLO, EVALSHA, and at 511.06 ms EVAL. Worker 2 polls from 905.03 ms on, and
// where it is let in at once its release finds the script known.
func TestResentAcquireLeavesAnOrphanedKey(t *testing.T) {
	for _, test := range []struct {
		name, client, want string
	}{
		{"resent", "max-retries: 3, min-retry-backoff: 10ms, max-retry-backoff: 10ms", `
5.03 granted worker-1
5.03 fault drop of worker-1
520.06 released worker-1 "not-obtained"
1005.03 heal drop of worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""`},
		{"not resent", "max-retries: 0", `
5.03 granted worker-1
5.03 fault drop of worker-1
511.06 freed worker-1
512.07 released worker-1 "unknown"
905.03 granted worker-2
906.04 acquired worker-2
909.07 applied worker-2 read 0 over 0
961.10 applied worker-2 write 1 over 0
963.13 freed worker-2
964.14 released worker-2 ""
1005.03 heal drop of worker-1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(byHand, "each: [", "each: [{worker: worker-1, lock: {retry: {attempts: 1}}}, ", 1)
			trial := runtest.Trial(t, runtest.Parse(t, text+`
client: {read-timeout: 500ms, `+test.client+`}
faults:
  - when: {worker: worker-1, point: acquire.replied}
    drop: {for: 1s}
`), "redis", 1)
			compareEvents(t, test.want, toldOf(trial.History))
		})
	}
}
