package reports

import (
	"bytes"
	"strings"
	"testing"

	"lockquake/scenarios/results"

	"github.com/google/go-cmp/cmp"
)

// caseUse is a use of a strategy under one case, in 10 runs.
func caseUse(label, name, class string, bit int64, checks map[string]int, holds ...string) results.StrategyStats {
	st := results.StrategyStats{
		Name: label, Label: label + " under " + name, Case: name, Class: class, Runs: 10, Bit: bit,
		Order: []string{"exclusion", "belief", "recovery"}, Checks: map[string]results.CheckStats{}, Expected: results.CannotTell,
	}
	for check, n := range checks {
		st.Checks[check] = results.CheckStats{Applies: true, Violating: n}
	}
	if len(holds) > 0 {
		st.Decides, st.Expects, st.Expected = true, &results.Expect{Holds: holds}, results.AsExpected
	}
	return st
}

func caseCampaign() *results.Campaign {
	unkept := caseUse("third", "crash", "C", 1, map[string]int{"exclusion": 1}, "exclusion")
	unkept.Expected = results.NotAsExpected
	open := caseUse("third", "other", "", 1, nil, "exclusion")
	open.Expected = results.CannotTell
	return &results.Campaign{Scenario: "matrix", Seeds: results.SeedRange{First: 1, Last: 10}, Verdict: results.Pass, Strategies: []results.StrategyStats{
		caseUse("first", "pause", "P", 4, map[string]int{"exclusion": 2, "belief": 9}),
		caseUse("first", "stall", "P", 4, map[string]int{"exclusion": 3}),
		caseUse("first", "crash", "C", 4, map[string]int{"recovery": 1}, "exclusion"),
		caseUse("first", "other", "", 0, nil),
		caseUse("second", "pause", "P", 4, map[string]int{"belief": 1}),
		caseUse("second", "stall", "P", 0, nil),
		caseUse("second", "crash", "C", 4, nil, "exclusion", "recovery"),
		caseUse("second", "other", "", 1, map[string]int{"recovery": 10}),
		caseUse("third", "pause", "P", 4, map[string]int{"exclusion": 10}),
		unkept,
		open,
	}}
}

// The worst case of each class counts, and what no fault met counts for nothing.
func TestCaseGrid(t *testing.T) {
	g := caseGrid(caseCampaign())
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

// The table shows the map, and of the uses only those that surprise. The pictures
// have a cell for each use that a fault met.
func TestCasesAreShownAsAMap(t *testing.T) {
	var table bytes.Buffer
	c := caseCampaign()
	if err := Table(&table, c, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"strategy  P      C             other", "second    clean  holds", "third under crash", "C worker crashes"} {
		if !strings.Contains(table.String(), words) {
			t.Errorf("%q is missing in\n%s", words, table.String())
		}
	}
	if strings.Contains(table.String(), "first under pause") {
		t.Errorf("a use of which nothing was expected is in\n%s", table.String())
	}
	svg, _, err := ratesPicture(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{">first<", ">stall<", ">30<", ">C<", ">100<"} {
		if !strings.Contains(string(svg), words) {
			t.Errorf("%q is missing in the picture", words)
		}
	}
}

// The service is what the catalogue says: answers, waits and tokens, but not the
// requests that a lock costs, of which no strategy claims anything.
func TestLoadIsNoFlawOfTheService(t *testing.T) {
	for check, want := range map[string]string{"load": "clean", "needless-loss": "clean", "belief": "clean", "fencing": "(40 %)", "told": "(40 %)", "once": "40 %"} {
		if got := standing([]results.StrategyStats{caseUse("one", "pause", "P", 4, map[string]int{check: 4})}); got != want {
			t.Errorf("violated %s: %s, want %s", check, got, want)
		}
	}
}
