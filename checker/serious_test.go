package checker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
)

func TestSerious(t *testing.T) {
	got := checker.Serious([]string{"belief", "told", "exclusion", "fencing", "errors", "linearizable", "once", "lost-update"})
	want := []string{"lost-update", "once", "exclusion", "linearizable", "fencing", "told", "errors", "belief"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A check without a predicate would make a sentence without a verb.
func TestEveryCheckSaysWhatAStrategyDid(t *testing.T) {
	for _, c := range checker.Catalogue() {
		if c.Did == "" || c.Predicate("no such workload") != c.Did {
			t.Errorf("%s says %q", c.Name, c.Did)
		}
		for workload, did := range c.DidIn {
			if !c.AppliesTo(workload) || c.Predicate(workload) != did {
				t.Errorf("%s says %q of %s", c.Name, did, workload)
			}
		}
	}
}
