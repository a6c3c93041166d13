package run_test

import (
	"slices"
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/internal/runtest"
)

// The client of ZooKeeper pings after 2 s, a third of its session, and gives up its connection after 4 s without an answer. If a
// ping or its answer is slow, a holder is told of a loss although its session goes on, and no fault is to blame. Neither is the
// lock. In seed 2 that is so within 6 s of its acquire.
func TestALockIsNotToBlameForSlowMessages(t *testing.T) {
	s := runtest.Parse(t, `
name: slow
duration: 2m
workers: 2
workload: {kind: counter, hold: {dist: uniform, min: 4s, max: 8s}, think: 500ms}
network: {latency: {dist: lognormal, median: 10ms, p99: 2s}}
lock: {ttl: 6s}
strategies: [zookeeper-unfenced]
checks: [errors, told, progress]
`)
	doubts := 0
	for seed := uint64(1); seed <= 5; seed++ {
		trial := runtest.Trial(t, s, "zookeeper-unfenced", seed)
		if violated := trial.Checks(checker.Invalid); len(violated) > 0 {
			t.Errorf("seed %d violates %v", seed, violated)
		}
		sections, err := trial.History.Sections()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range sections {
			ended := slices.IndexFunc(trial.History.Events, func(e history.Event) bool {
				return e.Seq > x.Enter && e.Worker == x.Worker && (e.Type == history.Freed || e.Type == history.Expired)
			})
			if x.Told != 0 && ended >= 0 && trial.History.Events[ended].Type == history.Freed {
				doubts++
			}
		}
	}
	if doubts == 0 {
		t.Error("no holder was told of a loss while its session went on")
	}
}
