package run_test

import (
	"fmt"
	"testing"

	"lockquake/history"
)

// All servers are paused while worker-1 asks for the lock a second time. Its requests time out, and so do those that undo them, so
// the servers grant it the lock when they go on. Its last attempts are refused because of that: no other worker has the lock, and the
// worker does not know the outcome of its first attempt. If its client waits for
// the answers, the worker hears of the grants and undoes them.
func TestAnAttemptOnAQuorumThatWasNotUndoneIsUnknown(t *testing.T) {
	for _, tt := range []struct {
		timeout string
		want    history.Class
	}{{"200ms", history.ClassUnknown}, {"5s", history.ClassOK}} {
		trial := ran(t, fmt.Sprintf(`
name: left
duration: 2s
workers: 1
sections: 2
workload: {kind: counter, hold: 10ms, think: 1100ms}
network: {latency: 1ms}
lock: {ttl: 10s, retry: {attempts: 5, delay: 1s, jitter: 0s}}
client: {read-timeout: %[1]s, dial-timeout: %[1]s}
strategies: [redlock]
faults:
  - {at: 1s, pause: {target: lock, for: 3s}}
`, tt.timeout))
		var answers []history.Class
		for _, e := range trial.History.Events {
			if e.Type == history.Released {
				answers = append(answers, e.Class)
			}
		}
		if len(answers) != 2 || answers[0] != history.ClassOK || answers[1] != tt.want {
			t.Errorf("with a timeout of %s the answers are %q, want ok and %q", tt.timeout, answers, tt.want)
		}
		sound(t, trial, "errors", "recovery", "progress")
	}
}
