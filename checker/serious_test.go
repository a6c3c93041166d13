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
