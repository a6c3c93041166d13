package scenarios

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
	"lockquake/scenarios/results"
)

func TestReportsNameTheClassesOfTheLocks(t *testing.T) {
	var want []results.FaultClass
	for _, c := range lock.Classes() {
		want = append(want, results.FaultClass{Letter: string(c), Name: c.String()})
	}
	if diff := cmp.Diff(want, results.FaultClasses()); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}
