package scenarios_test

import (
	"context"
	"fmt"
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
	"lockquake/scenarios/workload"
)

// toy is a workload that only its test knows: every section writes the name of its
// worker, after it has looked at what is there.
func toy() workload.Info {
	return workload.Info{
		Name: "toy", Doc: "sign the item", Initial: "unsigned",
		Params: []workload.Param{{Name: "locks", Must: true, Count: &workload.Count{Of: func(s workload.Settings) int { return s.Locks }, Low: 1, High: 3}}},
		Do: func(ctx context.Context, w *workload.Work) error {
			return w.Locked(ctx, w.Item, "", func(ctx context.Context, s lock.Section) error {
				if _, err := s.Read(ctx, w.Item); err != nil {
					return err
				}
				if err := w.Spend(ctx, w.Hold); err != nil {
					return err
				}
				return s.Write(ctx, w.Item, w.Worker)
			})
		},
	}
}

func TestAWorkloadIsAFileAndALineOfTheCatalogue(t *testing.T) {
	const text = "name: signed\nduration: 5s\nworkers: 1\nsections: 1\nworkload: {kind: toy, hold: 10ms%s}\nstrategies: [redis]\n"
	for _, tt := range []struct{ more, want string }{
		{"", "f.yaml:5:11: workload.locks is missing"},
		{", locks: 4", "f.yaml:5:42: workload.locks must be between 1 and 3, and is 4"},
		{", locks: 1, writes: 2", "f.yaml:5:45: workload.writes: the workload toy has no writes"},
	} {
		if _, err := scenarios.ParseKnowing("f.yaml", fmt.Appendf(nil, text, tt.more), toy()); err == nil || err.Error() != tt.want {
			t.Errorf("%q: error %v, want %s", tt.more, err, tt.want)
		}
	}
	s, err := scenarios.ParseKnowing("f.yaml", fmt.Appendf(nil, text, ", locks: 1"), toy())
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: "redis", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := trial.History.Events[len(trial.History.Events)-1]
	if last.Type != history.Final || last.Value != "worker-1" || trial.History.Meta.Initial["resource-1"] != "unsigned" {
		t.Errorf("the item ends as %+v, and began as %q", last, trial.History.Meta.Initial)
	}
	for _, r := range trial.Results {
		if r.Verdict == checker.Invalid {
			t.Errorf("%s is violated: %v", r.Check, r.Findings)
		}
	}
}
