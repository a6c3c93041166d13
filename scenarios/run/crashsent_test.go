package run_test

import (
	"fmt"
	"testing"

	"lockquake/history"
)

// A worker whose process crashes as a request leaves, or as the answer arrives, takes no further step, whatever the lock servers
// are. It works again after its restart.
func TestAWorkerDoesNothingAfterACrashAtAMessage(t *testing.T) {
	for _, strategy := range []string{"redis", "redlock", "pg-advisory-session", "pg-lease-row", "etcd-unfenced", "zookeeper-unfenced", "dynamodb-unfenced", "kube-lease"} {
		for _, point := range []string{"acquire.sent", "acquire.taken", "release.sent", "write.sent"} {
			trial := ran(t, fmt.Sprintf(`
name: crash
duration: 30s
workers: 2
workload: {kind: counter, hold: 20ms, think: 50ms}
strategies: [%s]
faults: [{when: {worker: worker-2, point: %s}, crash: {for: 500ms}}]
`, strategy, point))
			crashed, since := false, 0
			for _, e := range trial.History.Events {
				switch {
				case e.Type == history.Crashed && e.Worker == "worker-2":
					crashed = true
				case e.Type == history.AcquireCalled && e.Worker == "worker-2" && crashed:
					since++
				}
			}
			if since == 0 {
				t.Errorf("%s, %s: worker-2 crashed: %v, and asked for the lock %d times since", strategy, point, crashed, since)
			}
		}
	}
}
