package reports_test

import (
	"fmt"
	"os"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/reports"
	"lockquake/scenarios"
)

// Two workers are let in at once, and one of them undoes what the other did.
func ExampleTell() {
	h := &history.History{Meta: history.Meta{Strategy: "none", Workload: "counter", Initial: map[string]string{"n": "0"}}}
	var r history.Recorder
	moment := time.Duration(0)
	add := func(e history.Event) {
		moment += time.Millisecond
		e.At, e.Key = moment, "n"
		r.Record(e)
	}
	for i, worker := range []string{"worker-1", "worker-2"} {
		read := int64(i + 1)
		add(history.Event{Type: history.AcquireCalled, Worker: worker, Section: 1})
		add(history.Event{Type: history.Acquired, Worker: worker, Section: 1})
		add(history.Event{Type: history.Invoke, Worker: worker, Section: 1, Request: read, Op: "read"})
		add(history.Event{Type: history.Applied, Request: read, Value: "0", Accepted: true})
	}
	for i, worker := range []string{"worker-1", "worker-2"} {
		write := int64(i + 3)
		add(history.Event{Type: history.Invoke, Worker: worker, Section: 1, Request: write, Op: "write", Value: "1"})
		add(history.Event{Type: history.Applied, Request: write, Value: "1", Accepted: true})
	}
	add(history.Event{Type: history.Final, Value: "1"})
	h.Events = r.Events()

	results, err := checker.Run(h, []string{"lost-update"})
	if err != nil {
		fmt.Println(err)
		return
	}
	trial := &scenarios.Trial{Scenario: "by-hand", Label: "none", Strategy: "none", Seed: 1, History: h, Results: results}
	story := reports.Tell(trial)
	if err := story.Write(os.Stdout, reports.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
}
