package docgen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// The command of each row shows the violation, and the strategies that are expected to hold the
// check do so in the first runs.
func TestEveryPublishedBugIsReproducedByItsCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many scenarios")
	}
	for _, r := range record() {
		t.Run(r.scenario+"/"+r.label, func(t *testing.T) {
			t.Parallel()
			s, err := scenarios.Load(r.scenario)
			if err != nil {
				t.Fatal(err)
			}
			r := r.named(s)
			if !slices.Contains(s.Expect[r.label].Violates, r.check) {
				t.Errorf("the scenario does not expect that %s violates %s", r.label, r.check)
			}
			trial, err := run.Once(s, run.Request{Label: r.label, Seed: max(r.seed, 1)})
			if err != nil {
				t.Fatal(err)
			}
			if violated := trial.Checks(checker.Invalid); !slices.Contains(violated, r.check) {
				t.Errorf("%s: violates %v, and not %s", r.command(), violated, r.check)
			}
			var hold []string
			for label, e := range s.Expect {
				if slices.Contains(e.Holds, r.check) {
					hold = append(hold, label)
				}
			}
			if slices.Sort(hold); len(hold) == 0 {
				return
			}
			const few = 3
			c, err := campaign.Run(t.Context(), s, campaign.Request{Strategies: hold, Seeds: results.SeedRange{First: 1, Last: few}})
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range c.Strategies {
				if n := st.Checks[r.check].Violating; n > 0 {
					t.Errorf("%s violates %s in %d of %d runs", st.Label, r.check, n, few)
				}
			}
		})
	}
}

func TestThePublishedBugsAreThoseOfTheScenarios(t *testing.T) {
	numbers := regexp.MustCompile(`\d+`)
	for _, r := range record() {
		s, err := scenarios.Load(r.scenario)
		if err != nil {
			t.Fatal(err)
		}
		known := numbers.FindAllString(s.Source, -1)
		for _, issue := range r.issues {
			project, number, _ := strings.Cut(strings.ReplaceAll(issue, "!", "#"), "#")
			if !strings.Contains(project, "/") || !slices.Contains(known, number) {
				t.Errorf("%s is not in the source of %s: %s", issue, r.scenario, s.Source)
			}
		}
	}
}
