package tables

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/internal/sample"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Cases in which no fault hit the strategy do not count.
func TestTheWorstCaseOfAClassCounts(t *testing.T) {
	g := CaseGrid(sample.CaseCampaign())
	want := [][]string{
		{"strategy", "P pauses", "C worker crashes", "other"},
		{"first", "30 %", "holds (10 %)", "-"},
		{"second", "clean", "holds", "(100 %)"},
		{"third", "100 %", "BROKEN", "unknown"},
	}
	if diff := cmp.Diff(want, append([][]string{g.Head}, g.Rows...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only unexpected uses have a row below the map.
func TestCasesArePrintedAsAMap(t *testing.T) {
	var table bytes.Buffer
	c := sample.CaseCampaign()
	if err := Campaign(&table, c, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"strategy  pauses  worker crashes  other\n", "second    clean   holds", "third under crash"} {
		if !strings.Contains(table.String(), text) {
			t.Errorf("%q is missing in\n%s", text, table.String())
		}
	}
	if strings.Contains(table.String(), "first under pause") {
		t.Errorf("a use of which nothing was expected is in\n%s", table.String())
	}
}

// In the case without faults nothing can be hit.
func TestTheMapLeavesOutACaseInWhichNothingWasHit(t *testing.T) {
	var table bytes.Buffer
	writeCases(&table, words.Screen{}, Grid{Head: []string{"strategy", "P pauses", noClass}, Rows: [][]string{{"a", "holds", "-"}, {"b", "30 %", "-"}}, Note: "How to read it."})
	if got, want := table.String(), "strategy  pauses\na         holds\nb         30 %\nHow to read it.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// By the catalogue the check load is about efficiency, and no strategy claims it.
func TestLoadIsNoFlawOfTheService(t *testing.T) {
	for check, want := range map[string]string{"load": "clean", "needless-loss": "clean", "belief": "clean", "fencing": "(40 %)", "told": "(40 %)", "once": "40 %"} {
		if got := classCell([]results.StrategyStats{sample.CaseUse("one", "pause", "P", 4, map[string]int{check: 4})}); got != want {
			t.Errorf("violated %s: %s, want %s", check, got, want)
		}
	}
}
