package reports

import (
	"bytes"
	"testing"

	"lockquake/reports/internal/sample"
)

// A failure whose run is not kept has no story. The report lists the line that repeats the first
// failure of each check, and does not say that no check was violated.
func TestAFailureThatIsNotKeptWholeHasTheLineThatRepeatsIt(t *testing.T) {
	campaign, _ := sample.GCPause()
	want := 0
	for i := range campaign.Strategies {
		st := &campaign.Strategies[i]
		st.Failures = nil
		for check, stats := range st.Checks {
			if stats.Violating > 0 && !st.Harmless(check) {
				want++
				stats.Replay = "gc-pause:" + st.Label + ":" + check
				st.Checks[check] = stats
			}
		}
	}
	if want == 0 {
		t.Fatal("no strategy of the sample violates a check")
	}
	text := markdown(campaign)
	if got := bytes.Count(text, []byte("replay gc-pause:")); got != want {
		t.Errorf("%d lines repeat a failure, want %d:\n%s", got, want, text)
	}
	if bytes.Contains(text, []byte("## First failures\n")) {
		t.Errorf("the report has a heading for stories, and no story:\n%s", text)
	}
	if !bytes.Contains(text, []byte("## First failures that are not kept\n\nThese runs were too large to keep, or the results were read from a file.")) {
		t.Errorf("the report does not say why no run is kept:\n%s", text)
	}
	if bytes.Contains(text, []byte("No check that finds harm was violated")) {
		t.Errorf("the report says that no check was violated:\n%s", text)
	}
}
