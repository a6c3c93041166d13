package results

import (
	"fmt"
	"strings"
	"testing"

	"lockquake/internal/stats"
)

// The sentence begins with the checks that it counts, or the first two of more than three.
func TestTheSentenceOfAPairNamesItsChecks(t *testing.T) {
	for _, tt := range []struct {
		checks []string
		only   int
		want   string
	}{
		{[]string{"exclusion"}, 0, "In exclusion, fenced and redis do the same on all 40 seeds"},
		{[]string{"lost-update", "exclusion"}, 1, "In lost-update and exclusion, fenced and redis cannot be told apart: violating seeds, of the same 40: 1 with fenced only, "},
		{[]string{"a", "b", "c"}, 0, "In a, b and c, "},
		{[]string{"a", "b", "c", "d", "e"}, 0, "In a, b and 3 more checks, "},
	} {
		p := PairStats{Base: "redis", Label: "fenced", Checks: tt.checks, Seeds: 40, Only: tt.only, P: 1}
		if got := p.Sentence(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestPairComparesOnlySharedAndDecidedSeeds(t *testing.T) {
	verdicts := func(runs, violating, unknown string) Verdicts {
		return Verdicts{set(t, runs), set(t, violating), set(t, unknown)}
	}
	for _, tt := range []struct {
		name          string
		first, second Verdicts
		want          string // seeds, both, broken, fixed, changed
	}{
		{"alike", verdicts("1-10", "3,5", "7"), verdicts("1-10", "3,5", "7"), "9 2  "},
		{"some differ", verdicts("1-10", "3,5", ""), verdicts("1-10", "5-7", ""), "10 1 6-7 3 3,6-7"},
		{"other seeds", verdicts("1-10", "3,9", ""), verdicts("8-20", "8,15", ""), "3 0 8 9 8-9"},
		{"no seed in common", verdicts("1-10", "3", ""), verdicts("11-20", "15", ""), "0 0   "},
		{"unknown on one side", verdicts("1-10", "3", "5"), verdicts("1-10", "5", "3"), "8 0   3,5"},
		{"known up to 6 only", verdicts("1-100", "3,6,...", ""), verdicts("1-100", "4,50-90", ""), "6 0 4 3,6 3-4,6"},
	} {
		p := Pair(tt.first, tt.second)
		got := fmt.Sprintf("%d %d %v %v %v", p.Seeds, p.Both, p.Broken, p.Fixed, p.Changed)
		if strings.TrimRight(got, " ") != strings.TrimRight(tt.want, " ") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if p := Pair(verdicts("1-10", "1-8", ""), verdicts("1-10", "1,9", "")); p.P != stats.McNemar(7, 1) {
		t.Errorf("7 fixed and 1 broken give %v", p.P)
	}
}
