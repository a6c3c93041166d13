package story_test

import (
	"slices"
	"testing"

	"lockquake/history"
	"lockquake/reports/story"
	"lockquake/scenarios/results"
)

func TestTheStoryOfOneLockOfARunSaysSo(t *testing.T) {
	h := &history.History{Meta: history.Meta{Part: &history.Part{Lock: "resource-7", Locks: 500}}}
	got := story.Tell(&results.Trial{History: h}).Verdicts
	if want := "events of lock resource-7 only; the run has 500 locks"; !slices.Contains(got, want) {
		t.Errorf("the verdicts are %q, want also %q", got, want)
	}
	h.Meta.Part = nil
	if got := story.Tell(&results.Trial{History: h}).Verdicts; len(got) != 0 {
		t.Errorf("the verdicts of a whole run without results are %q, want none", got)
	}
}
