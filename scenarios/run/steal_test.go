package run_test

import (
	"strings"
	"testing"
	"time"

	"lockquake/history"
)

// worker-1 dies at 5 s and does not come back. Others do the jobs of its partition, those that have been
// due for long enough by the end of the run.
func TestJobsOfADeadWorkerAreStolen(t *testing.T) {
	for _, text := range []string{
		"strategies: [optimistic]\nworkload: {kind: steal, period: 500ms, hold: 50ms, think: 20ms}",
		"strategies: [pg-skip-locked]\nworkload: {kind: steal, period: 500ms, hold: 50ms, think: 20ms}",
		"strategies: [single-writer]\nworkload: {kind: steal, claim: partition, period: 500ms, hold: 50ms, think: 20ms}",
	} {
		trial := ran(t, `
name: dead
duration: 30s
workers: 3
resources: 3
network: {latency: 1ms}
lock: {ttl: 2s}
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]
`+text)
		by := map[string]string{}
		last := map[string]time.Duration{}
		for _, e := range trial.History.Events {
			if e.Type == history.Applied && e.Op == "write" && e.Accepted && strings.HasPrefix(e.Key, "resource-1/job-") && !strings.HasSuffix(e.Key, "/key") {
				by[e.Key], last[e.Value] = e.Value, e.At
			}
		}
		const due = 57 // 30 s of jobs, without the last three
		if len(by) < due {
			t.Errorf("%s: %d jobs of the partition were done, want at least %d", text, len(by), due)
		}
		if last["worker-1"] > 5*time.Second || last["worker-2"]+last["worker-3"] < 29*time.Second {
			t.Errorf("%s: the last jobs of the partition were done at %v", text, last)
		}
		sound(t, trial, "once", "progress")
	}
}
