package checker_test

import (
	"fmt"

	"lockquake/checker"
	"lockquake/history"
)

// Two workers are let in at the same time, and neither was told of a loss.
func ExampleRun() {
	var r history.Recorder
	for _, worker := range []string{"worker-1", "worker-2"} {
		r.Record(history.Event{Type: history.AcquireCalled, Worker: worker, Section: 1, Key: "invoice-42"})
		r.Record(history.Event{Type: history.Acquired, Worker: worker, Section: 1})
	}
	r.Record(history.Event{Type: history.ReleaseCalled, Worker: "worker-1", Section: 1})

	results, err := checker.Run(&history.History{Events: r.Events()}, []string{"exclusion", "belief"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, result := range results {
		fmt.Printf("%s: %s, applies: %v\n", result.Check, result.Verdict, result.Applies)
		for _, f := range result.Findings {
			fmt.Println(" ", f.Text, f.Events)
		}
	}
	// Output:
	// exclusion: valid, applies: false
	// belief: invalid, applies: true
	//   two holders: worker-1's section 1 and worker-2's section 1 both believed they held lock invoice-42 at one instant [2 4 5]
}
