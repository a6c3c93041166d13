package tables

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// lost returns a cell of 40 runs, of which some lose an update.
func lost(cause string, runs int) results.AdviceCell {
	c := results.AdviceCell{Cause: cause, Runs: 40, Hit: 40, Jobs: 80, Finished: 80, Lost: runs, Command: "lockquake run a.yaml --strategy " + cause}
	if runs > 0 {
		c.Check = "lost-update"
	}
	c.Low, c.High = stats.Wilson(c.Lost, c.Runs)
	return c
}

// stuck returns a cell of 40 runs, of which some leave a lock taken.
func stuck(cause string, runs int) results.AdviceCell {
	c := lost(cause, 0)
	c.Stuck, c.Service = runs, "recovery"
	return c
}

// asked returns an answer for a lock with these cells, and one that lost nothing if the work looks.
func asked(cells ...results.AdviceCell) *results.Advice {
	a := &results.Advice{
		Lock: "redis", Scenario: "a.yaml", World: "40m",
		Causes: []results.AdviceCause{{Name: "failover", With: "a failover", Asked: true}, {Name: "cut-off", With: "a cut link"}, {Name: "crashes", With: "crashes"}},
		Locks: []results.AdviceLock{
			{Label: "yours", Cells: append([]results.AdviceCell{lost(results.NoFault, 0)}, cells...)},
			{Label: "yours+looks", What: "your lock, and the work looks", Cells: []results.AdviceCell{lost(results.NoFault, 0), lost("failover", 0), lost("cut-off", 0)}},
		},
	}
	return a
}

// The cause that an input names comes first, although another one is more frequent. The interval of 20 of
// 40 is 35.2 to 64.8 %, and that of 36 of 40 is 76.9 to 96.0 %.
func TestAnAnswerBeginsWithWhatHappensAndThroughWhat(t *testing.T) {
	for _, test := range []struct {
		name  string
		cells []results.AdviceCell
		want  string
	}{
		{
			"two causes",
			[]results.AdviceCell{lost("cut-off", 36), lost("failover", 20)},
			"NOT SAFE: it lost updates in 50.0 % of runs (35.2 to 64.8 %) through a failover, and in 90.0 % of runs (76.9 to 96.0 %) through a cut link (assumed).",
		},
		{
			"nothing is lost, and a lock stays taken",
			[]results.AdviceCell{lost("failover", 0), stuck("crashes", 20)},
			"It lost nothing, and kept a lock held after its owner had gone in 50.0 % of runs (35.2 to 64.8 %) through crashes (assumed).",
		},
		{
			"a lock stays taken too",
			[]results.AdviceCell{lost("failover", 20), stuck("crashes", 20)},
			"NOT SAFE: it lost updates in 50.0 % of runs (35.2 to 64.8 %) through a failover. It also kept a lock held after its owner had gone in 50.0 % of runs (35.2 to 64.8 %) through crashes (assumed).",
		},
		{
			"work that outlasts the lease",
			[]results.AdviceCell{lost(results.NoFault, 36)},
			"NOT SAFE: it lost updates in 90.0 % of runs (76.9 to 96.0 %) without a fault.",
		},
		{"no fault hit", []results.AdviceCell{{Cause: "failover", Runs: 40}}, "It lost nothing; 1 of 1 kinds of faults are not decided."},
		{"nothing happens", []results.AdviceCell{lost("failover", 0)}, "It lost nothing: in 40 runs under each kind of fault (fewer than 7.3 %)."},
	} {
		a := asked(test.cells...)
		if got := adviceVerdict(a, &a.Locks[0]); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
	}
	for _, test := range []struct {
		cells []results.AdviceCell
		want  string
	}{
		{[]results.AdviceCell{lost("failover", 0), lost("cut-off", 36)}, "What you have named did no harm in 40 runs (fewer than 7.3 %): a failover."},
		{[]results.AdviceCell{lost("failover", 20), lost("cut-off", 36)}, ""},
		{[]results.AdviceCell{lost("failover", 0), lost("cut-off", 0)}, ""},
		{[]results.AdviceCell{{Cause: "failover", Runs: 40}, lost("cut-off", 36)}, ""},
	} {
		a := asked(test.cells...)
		if got := adviceNamed(a, &a.Locks[0]); got != test.want {
			t.Errorf("%v: %q, want %q", test.cells, got, test.want)
		}
	}
	if got, want := adviceRemedy(asked(lost("failover", 20))), "It loses nothing if the work checks its context before each write: 0 of 40 runs under each kind of fault (fewer than 7.3 %)."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := adviceRemedy(asked(lost("failover", 0))); got != "" {
		t.Errorf("a lock that loses nothing is to be changed: %s", got)
	}
}

// Intervals that overlap are no effect: 20 of 40 is 35.2 to 64.8 %, 28 of 40 is 54.6 to 81.9 %, and 36 of 40
// is 76.9 to 96.0 %.
func TestAChangeWhoseIntervalOverlapsHasNoClearEffect(t *testing.T) {
	a := asked(lost("failover", 20))
	change := func(name string, runs int) results.AdviceChange {
		return results.AdviceChange{Lock: "yours", Assumption: name, Value: "twice as long", Cause: "failover", Before: lost("failover", 20), After: lost("failover", runs)}
	}
	a.Changes = []results.AdviceChange{change("lag", 36), change("work", 28)}
	s := adviceChanges(a)
	want := [][]string{{"yours", "lag twice as long", "failover", "36 of 40 (76.9 to 96.0 %)", "20 of 40 (35.2 to 64.8 %)"}}
	if diff := cmp.Diff(want, s.Grid.Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := strings.Join(s.Notes, " "); got != "No clear effect on your lock, since the 95 % intervals overlap: work twice as long." {
		t.Error(got)
	}
	a.Changes = a.Changes[1:]
	if got := adviceChanges(a).Text[0]; got != "None of the assumptions that were varied clearly changes what your lock loses." {
		t.Error(got)
	}
}

// 20 of 40 is 35.2 to 64.8 %.
func TestAnAnswerSaysWhatATokenWouldDo(t *testing.T) {
	a := asked(lost("failover", 36))
	if got := adviceFenced(a); got != "" {
		t.Errorf("no lock has a token: %s", got)
	}
	a.Locks = append(a.Locks, results.AdviceLock{
		Label: "yours+token", Needs: "--fence reads-writes", Cells: []results.AdviceCell{lost(results.NoFault, 0), lost("failover", 0)},
	})
	want := "If the resource can check a fencing token (--fence reads-writes): yours+token lost nothing in 40 runs under each of 2 cases (fewer than 7.3 % of each)."
	if got := adviceFenced(a); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := adviceSurvivors(a); strings.Contains(got, "yours+token") {
		t.Errorf("a lock that the resource has to help: %s", got)
	}
	a.Locks[2].Cells[1] = lost("failover", 20)
	want = "If the resource can check a fencing token (--fence reads-writes): yours+token lost updates in 50.0 % of runs (35.2 to 64.8 %) through a failover."
	if got := adviceFenced(a); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The TTL is searched under pauses, and another fault may need a longer one.
func TestTheAnswerOnTheTTLNamesTheFaultThatNeedsALongerOne(t *testing.T) {
	a := asked(lost("failover", 0))
	a.TTL = &results.AdviceTTL{Cause: "crashes", Holds: "13s", Jobs: 80, Finished: 80, Low: 0.954, High: 1, Runs: 16, HoldsRuns: 40}
	a.Changes = []results.AdviceChange{
		{Lock: "yours", Assumption: "TTL", Value: "half as long", Cause: "failover", Before: lost("failover", 0), After: lost("failover", 36)},
		{Lock: "yours", Assumption: "TTL", Value: "twice as long", Cause: "cut-off", Before: lost("cut-off", 36), After: lost("cut-off", 0)},
	}
	s := adviceTTL(a)
	want := []string{
		"With a TTL of 13s nothing was lost in 40 runs (fewer than 7.3 %) with crashes, and 80 of 80 jobs were finished (95.4 to 100.0 %). No shorter one was tried. For the other faults see below.",
		"With half the TTL more is lost through a failover: 36 of 40 (76.9 to 96.0 %), instead of 0 of 40 (fewer than 7.3 %).",
	}
	if diff := cmp.Diff(want, s.Text); diff != "" || s.Title != "Which TTL for the crashes" {
		t.Errorf("%s (-want +got):\n%s", s.Title, diff)
	}
}

// If the TTL is asked for, it comes first. No figure of 0 is without its bound: 0 of 40 is fewer than 7.3 %.
func TestTheAnswerBeginsWithTheTTLIfItIsAskedFor(t *testing.T) {
	a := asked(lost("failover", 36))
	a.TTL = &results.AdviceTTL{
		Cause: "crashes", Holds: "13s", Breaks: "12s", Why: "3 of 16 runs violated exclusion", Jobs: 80, Finished: 80, Low: 0.954, High: 1, HoldsRuns: 40,
	}
	const want = "With a TTL of 13s nothing was lost in 40 runs (fewer than 7.3 %) with crashes, and 80 of 80 jobs were finished (95.4 to 100.0 %). With 12s, 3 of 16 runs violated exclusion."
	if got := adviceYours(a).Text[0]; got == want {
		t.Errorf("the TTL was not asked for, and it begins with %s", got)
	}
	a.TTL.Taken = true
	if got := adviceYours(a).Text[0]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// All that was assumed is one list.
func TestAnAnswerListsWhatIsAssumed(t *testing.T) {
	a := asked(lost("failover", 20))
	a.Assumed = []string{"--looks never", "failover: about every 10m"}
	var b bytes.Buffer
	if err := Advice(&b, a, words.Screen{}); err != nil {
		t.Fatal(err)
	}
	if want := "\nAssumed, because you gave no value\n--looks never\nfailover: about every 10m\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%s\nis not in\n%s", want, b.String())
	}
}
