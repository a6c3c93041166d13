package campaign

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// A strategy that the scenario brought along is run where it is named, by the
// file or by the caller, and nowhere else, whichever way the scenario is run.
func TestOwnStrategiesAreRunWhereTheyAreNamed(t *testing.T) {
	mine := scenarios.Strategies()[slices.IndexFunc(scenarios.Strategies(), func(e lock.Entry) bool { return e.Name == "redis" })]
	mine.Name = "mine"
	s, err := scenarios.Parse("f", []byte(quick), mine)
	if err != nil {
		t.Fatal(err)
	}
	s.Program = "my-program"
	if s, err = s.With([]results.Override{{Path: "lock.ttl", Value: "3s"}}); err != nil {
		t.Fatal(err)
	}
	labels := func(names ...string) []string {
		uses, err := s.Uses(names, nil)
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, use := range uses {
			labels = append(labels, use.Label)
		}
		return labels
	}
	if got := labels(); slices.Contains(got, "mine") {
		t.Errorf("unasked there is %v", got)
	}
	if diff := cmp.Diff([]string{"mine"}, labels("mine")); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	trial, err := run.Once(s, run.Request{Label: "mine", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if trial.Strategy != "mine" || trial.Program != "my-program" {
		t.Errorf("the run is of %s, by %q", trial.Strategy, trial.Program)
	}
	c, err := Run(t.Context(), s, Request{Strategies: []string{"mine"}, Seeds: results.SeedRange{First: 1, Last: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Strategies[0].Label != "mine" || c.Program != "my-program" {
		t.Errorf("the campaign is of %s, by %q", c.Strategies[0].Label, c.Program)
	}
}
