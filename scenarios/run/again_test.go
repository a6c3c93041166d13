package run_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// Two workers read the counter at the same time. The second write meets a conflict, and the work is
// done again in a section of its own; no lock server is asked for anything.
func TestRepeatedWorkIsASectionOfItsOwn(t *testing.T) {
	const text = `
name: again
duration: 2s
workers: 2
sections: 1
workload: {kind: counter, hold: 10ms}
network: {latency: 1ms}
strategies: [optimistic]
each: [{worker: worker-2, start: 1ms}]
`
	s, err := scenarios.Parse("again.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: "optimistic", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range sections {
		text := fmt.Sprintf("%s/%d again %v ends %q:", x.Worker, x.N, x.Again, x.Class)
		for _, o := range x.Ops {
			text += fmt.Sprintf(" %s %s %v", o.Kind, o.Value, o.Accepted)
			if o.If != nil {
				text += fmt.Sprintf(" if %s %d", o.If.By, o.If.Version)
			}
		}
		got = append(got, text)
	}
	want := []string{
		`worker-1/1 again false ends "": read 0 true write 1 true if version 1`,
		`worker-2/1 again false ends "conflict": read 0 true write 1 false if version 1`,
		`worker-2/2 again true ends "": read 1 true write 2 true if version 2`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !trial.History.Meta.LockFree || trial.Metrics.Commands != 0 || trial.Metrics.Jobs != 2 || trial.Metrics.Finished != 2 {
		t.Errorf("lock free %v, %d commands, finished %d of %d", trial.History.Meta.LockFree, trial.Metrics.Commands, trial.Metrics.Finished, trial.Metrics.Jobs)
	}
	if slices.ContainsFunc(trial.History.Events, func(e history.Event) bool { return e.Node != "" && e.Node != "resource" }) {
		t.Error("a lock server recorded something")
	}
}
