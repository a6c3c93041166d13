package checker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
)

func TestSerious(t *testing.T) {
	given := []string{"belief", "told", "exclusion", "fencing", "errors", "linearizable", "once", "lost-update"}
	got := checker.Serious(given)
	if given[0] != "belief" {
		t.Error("the given list has changed")
	}
	want := []string{"lost-update", "once", "exclusion", "linearizable", "fencing", "told", "errors", "belief"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A check without a predicate would make a sentence without a verb.
func TestEveryCheckSaysWhatAStrategyDid(t *testing.T) {
	for _, c := range checker.Catalogue() {
		one := &checker.Metrics{DoneTwice: 1}
		if c.Did == "" || c.Predicate("no such workload", one) != c.Did {
			t.Errorf("%s says %q", c.Name, c.Did)
		}
		for workload, did := range c.DidIn {
			if !c.AppliesTo(workload) || c.Predicate(workload, one) != did || (c.OrIn[workload] == "") != (c.Or == "") {
				t.Errorf("%s says %q of %s", c.Name, did, workload)
			}
		}
	}
}

// A report names only the kind of violation that happened.
func TestWorkThatWasDoneTwiceIsNotSaidToBeMissed(t *testing.T) {
	once, _ := checker.Lookup("once")
	for _, test := range []struct {
		twice, missed int64
		want          string
	}{
		{3, 0, "charged a card twice"},
		{0, 2, "missed a charge"},
		{1, 0, "charged a card twice"},
		{0, 1, "missed a charge"},
		{3, 2, "charged a card twice or missed a charge"},
		{0, 0, "charged a card twice or missed a charge"}, // results of an older version
	} {
		if got := once.Predicate("charge", &checker.Metrics{DoneTwice: test.twice, Missed: test.missed}); got != test.want {
			t.Errorf("%d twice, %d missed: %q, want %q", test.twice, test.missed, got, test.want)
		}
	}
}
