package run_test

import (
	"testing"
	"time"

	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// The leader works once a minute, and steps down at the end of its term. Cut off from the lock, it
// steps down as soon as it is told of the loss, and another candidate leads.
func TestALeaderStepsDown(t *testing.T) {
	const text = `
name: leader
duration: 12m
workers: 2
workload: {kind: leader, period: 10s, interval: 1m, term: 3m, hold: 1s}
network: {latency: 1ms}
lock: {ttl: 10s}
strategies: [redis-watchdog]
each: [{worker: worker-2, start: 1s}]
faults: [{at: 250s, partition: {from: each worker, to: lock, mode: drop, for: 20s}}]
`
	s, err := scenarios.Parse("leader.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: "redis-watchdog", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	served, told := 0, 0
	var last time.Duration
	for _, x := range sections {
		if !x.Entered() {
			continue
		}
		if x.EnterAt < last {
			t.Errorf("%s leads from %v on, before %v", x.Worker, x.EnterAt, last)
		}
		last = x.LeaveAt
		switch led := x.LeaveAt - x.EnterAt; {
		case x.Told != 0:
			if told++; led >= 3*time.Minute {
				t.Errorf("%s led for %v", x.Worker, led)
			}
		case x.LeaveAt < s.Duration:
			// Three pieces of work at least, one second each, and a minute after each of them.
			if served++; led < 3*time.Minute || led > 4*time.Minute || len(x.Ops) != 6 {
				t.Errorf("%s led for %v with %d operations", x.Worker, led, len(x.Ops))
			}
		}
	}
	if served < 2 || told != 1 {
		t.Errorf("%d terms were served, and %d leaders were told of a loss", served, told)
	}
}
