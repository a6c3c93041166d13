package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// One failing run of a strategy is one card and one line of report.md, the runs of a strategy are one
// group, and a harmless belief is no failure unless the expectation names it.
func TestOneFailingRunIsOneCard(t *testing.T) {
	failure := func(check string, seed uint64) results.Failure {
		run := sample.Kleppmann(0)
		run.Seed = seed
		return results.Failure{Check: check, Seed: seed, Trial: run}
	}
	use := func(label string, failures ...results.Failure) results.StrategyStats {
		return results.StrategyStats{Name: label, Label: label, Failures: failures}
	}
	asked := use("asked", failure("belief", 4))
	asked.Expects = &results.Expect{Violates: []string{"belief"}}
	paused := use("cased", failure("exclusion", 1))
	paused.Case, paused.Label = "pause", "cased under pause"
	crashed := use("cased", failure("recovery", 1))
	crashed.Case, crashed.Label = "crash", "cased under crash"
	campaign := &results.Campaign{Strategies: []results.StrategyStats{
		use("redis", failure("lost-update", 3), failure("exclusion", 3), failure("recovery", 5), failure("belief", 3), failure("stampede", 6)),
		use("believer", failure("belief", 1)), asked, paused, crashed,
	}}
	failures, err := shownFailures(campaign)
	if err != nil {
		t.Fatal(err)
	}
	groups, anchors := cardGroups(failures)
	got := map[string][]string{}
	for _, g := range groups {
		for _, card := range g.Cards {
			got[g.Label] = append(got[g.Label], fmt.Sprint(card.Label, ": ", card.Checks))
		}
	}
	want := map[string][]string{
		"redis": {"redis: [lost-update exclusion]", "redis: [recovery]"},
		"asked": {"asked: [belief]"},
		"cased": {"cased under pause: [exclusion]", "cased under crash: [recovery]"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the cards differ (-want +got):\n%s", diff)
	}
	redis := use("redis")
	if id := anchors[anchorKey(redis, "lost-update")]; id == "" || id != anchors[anchorKey(redis, "exclusion")] || id == anchors[anchorKey(redis, "recovery")] {
		t.Errorf("the links lead to %v", anchors)
	}
	if anchors[anchorKey(redis, "belief")] != "" {
		t.Error("a harmless belief has a card")
	}
	var lines []string
	for line := range strings.Lines(string(markdown(campaign))) {
		if before, _, _ := strings.Cut(line, ": `"); strings.HasPrefix(line, "### ") || strings.Contains(before, ", seed ") && strings.HasPrefix(line, "- ") {
			lines = append(lines, strings.TrimSpace(before))
		}
	}
	wantLines := []string{
		"### redis", "- lost-update, exclusion, seed 3", "- recovery, seed 5", "### asked", "- belief, seed 4",
		"### cased under pause (cased)", "- exclusion, seed 1", "### cased under crash (cased)", "- recovery, seed 1",
	}
	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Errorf("report.md differs (-want +got):\n%s", diff)
	}
}
