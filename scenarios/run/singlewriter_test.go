package run_test

import (
	"testing"
	"time"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// worker-1 is the first, and keeps the key over many sections. It crashes, and
// worker-2, which is refused until then, takes the key over when the lease of worker-1 has ended.
func TestAnOwnerKeepsItsKeyUntilItsLeaseEnds(t *testing.T) {
	const text = `
name: owner
duration: 5s
workers: 2
workload: {kind: counter, hold: 10ms, think: 50ms}
network: {latency: 1ms}
lock: {ttl: 1s}
strategies: [single-writer]
each: [{worker: worker-2, start: 20ms}]
faults: [{at: 2s, crash: {target: worker-1, for: 1h}}]
`
	s, err := scenarios.Parse("owner.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: "single-writer", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	var ends time.Duration // of the lease of worker-1
	requests := map[history.Type]int{}
	for _, e := range trial.History.Events {
		if e.Type == history.Granted || e.Type == history.Renewed {
			if e.Worker == "worker-1" {
				ends = e.Until
				requests[e.Type]++
			}
		}
	}
	entered, refused := map[string]int{}, 0
	for _, x := range sections {
		switch {
		case x.Entered():
			if entered[x.Worker]++; x.Worker == "worker-2" && x.EnterAt < ends {
				t.Errorf("worker-2 enters at %v, and the lease of worker-1 ends at %v", x.EnterAt, ends)
			}
		case x.Worker == "worker-2" && x.Class == history.ClassNotObtained:
			refused++
		}
	}
	// It takes the key once, and renews its lease at the begin of each further section.
	if n := requests[history.Renewed] - (entered["worker-1"] - 1); requests[history.Granted] != 1 || n < 0 || n > 1 {
		t.Errorf("worker-1 asked %v for %d sections", requests, entered["worker-1"])
	}
	if entered["worker-1"] < 20 || entered["worker-2"] < 20 || refused < 20 {
		t.Errorf("entered %v, and worker-2 was refused %d times", entered, refused)
	}
}
