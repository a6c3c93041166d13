package story_test

import (
	"fmt"
	"os"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/reports/story"
	"lockquake/scenarios/results"
)

// Two workers enter at the same time, and one of them overwrites the other's update.
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
		add(history.Event{Type: history.OK, Request: read, Value: "0"})
	}
	for i, worker := range []string{"worker-1", "worker-2"} {
		write := int64(i + 3)
		add(history.Event{Type: history.Invoke, Worker: worker, Section: 1, Request: write, Op: "write", Value: "1"})
		add(history.Event{Type: history.Applied, Request: write, Value: "1", Accepted: true})
		add(history.Event{Type: history.OK, Request: write})
	}
	add(history.Event{Type: history.Final, Value: "1"})
	h.Events = r.Events()

	judged, err := checker.Run(h, []string{"lost-update"})
	if err != nil {
		fmt.Println(err)
		return
	}
	trial := &results.Trial{Scenario: "by-hand", Label: "none", Strategy: "none", Seed: 1, History: h, Results: judged}
	if err := story.Tell(trial).Write(os.Stdout, story.InFile()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// by-hand: none, seed 1, resource fence: off
	//
	// lost-update invalid: worker-2's section 1 saw 0 of item n and wrote 1 over 1, the work of
	//   worker-1's section 1 (wrote 1)
	//
	//    time, s  who       what                                     in its section     lease, until  resource
	//      0.002  worker-1  enters its section                       worker-1           -             n=0
	//      0.004  worker-1  reads 0                                  worker-1           -             n=0
	//      0.007  worker-2  enters its section                       worker-1 worker-2  -             n=0
	// *    0.009  worker-2  reads 0                                  worker-1 worker-2  -             n=0
	// *    0.012  worker-1  writes 1                                 worker-1 worker-2  -             n=1, took
	// !    0.015  worker-2  writes 1 over worker-1's 1: update lost  worker-1 worker-2  -             n=1, took
	//      0.017  resource  ends at 1: took 2 writes, lost 1         worker-1 worker-2  -             n=1
}
