package tables

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

// A lock has one sentence, however many cases it ran under.
func TestALockWhoseTokensDoNotFitItsResourceHasOneSentence(t *testing.T) {
	c := &results.Campaign{Strategies: []results.StrategyStats{
		{Name: "mine", Label: "mine under pause", Fence: "off", Tokens: results.TokensIgnored},
		{Name: "mine", Label: "mine under crash", Fence: "off", Tokens: results.TokensIgnored},
		{Name: "other", Label: "other", Fence: "writes", Tokens: results.TokensMissing},
		{Name: "redis", Label: "redis", Fence: "off"},
	}}
	want := []string{
		"mine hands out fencing tokens, and its resource checks none; --set resource.fence=reads-writes makes it check them",
		"other hands out no fencing token, and its resource (fence: writes) refuses work without one; --set resource.fence=off makes it accept the work",
	}
	if diff := cmp.Diff(want, misfits(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
