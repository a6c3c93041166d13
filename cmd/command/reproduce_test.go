package command

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"lockquake/scenarios/results"
)

func TestReproduceTellsTheWorstRunOfALockBeforeARunWithoutOne(t *testing.T) {
	none := &results.Trial{Label: "unlocked", Strategy: "none", Telling: "lost-update"}
	redis := &results.Trial{Label: "redis", Strategy: "redis", Telling: "recovery"}
	fenced := &results.Trial{Label: "fenced", Strategy: "redis-fenced", Telling: "lost-update"}
	held := &results.Trial{Label: "held", Strategy: "redis"}
	for _, test := range []struct {
		name   string
		trials []*results.Trial
		want   *results.Trial
	}{
		{"a lock violates a check that is less serious", []*results.Trial{none, redis}, redis},
		{"the worst of two locks", []*results.Trial{none, redis, fenced}, fenced},
		{"only the run without a lock violates a check", []*results.Trial{held, none}, none},
		{"no run violates a check", []*results.Trial{held, held}, nil},
		{"a single run", []*results.Trial{held}, held},
		{"a single run without a lock", []*results.Trial{none}, none},
	} {
		if got := worstOf(test.trials); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestLabelsAreReadBackFromTheCommandLine(t *testing.T) {
	for _, labels := range [][]string{{"redis"}, {"x,y"}, {`a"b`, "it's"}, {`",`, "redis under pauses"}} {
		var got []string
		cmd := &cobra.Command{}
		newProgram(nil).strategiesFlag(cmd, &got)
		if err := cmd.Flags().Set("strategy", strategyList(labels...)); err != nil || !slices.Equal(got, labels) {
			t.Errorf("%q are read back as %q: %v", labels, got, err)
		}
	}
}
