package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// A section with several findings of one check is one violation, and all findings are shown.
func TestASectionCountsOnce(t *testing.T) {
	const lease = 10 * time.Second
	behind := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum, s.meta.TTL = 3, 2, lease
		s.call("a")
		for _, node := range []string{"lock-1", "lock-2", "lock-3"} {
			s.grantOn("a", node)
		}
		return s.enter("a", 0).leave("a").answered("a", "", "").after(time.Hour)
	}
	renewals := story("counter", "off").acquire("a", 0)
	for range 5 {
		renewals.renewed("b", "a")
	}
	for _, test := range []struct {
		check    string
		name     string
		story    *scriptedHistory
		findings int
	}{
		{
			"errors", "it hides two writes that had no effect, and is lost",
			story("counter", "writes").call("a").leased("a", lease).enter("a", 1).
				refuse("a", "write", "1").refuse("a", "write", "2").after(lease).expire("a").leave("a").answered("a", "", ""), 2,
		},
		{
			"fencing", "a stale token and two stale writes",
			story("counter", "off").acquire("b", 2).write("b", "1").release("b").
				acquire("a", 1).write("a", "2").write("a", "3").release("a"), 3,
		},
		{"recovery", "it left its grant on three servers", behind(), 3},
		{"ownership", "its grant was renewed five times by another", renewals.release("a"), 5},
	} {
		got := mustRun(t, test.story.history(), test.check)[0]
		if got.Verdict != Invalid || got.Count != 1 || len(got.Findings) != test.findings {
			t.Errorf("%s, %s: %s with %d violations and %d findings, want 1 and %d: %+v", test.check, test.name, got.Verdict, got.Count, len(got.Findings), test.findings, got.Findings)
		}
	}
}

// Another worker frees both grants of a section.
func TestTheGrantsOfASectionCountOnce(t *testing.T) {
	s := story("counter", "off")
	s.meta.Nodes, s.meta.Quorum = 3, 2
	s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").enter("a", 0)
	for _, node := range []string{"lock-1", "lock-2"} {
		s.tell(history.Event{Type: history.Freed, Worker: "b", Key: "x", Owner: "a", Node: node})
	}
	if got := mustRun(t, s.history(), "ownership")[0]; got.Count != 1 || len(got.Findings) != 2 {
		t.Errorf("%d violations and %d findings, want 1 and 2", got.Count, len(got.Findings))
	}
}

// A history without anything to judge is not judged.
func TestAHistoryWithoutWorkIsNotJudged(t *testing.T) {
	for check, workload := range map[string]string{
		"linearizable": "register", "lost-update": "counter", "once": "cron", "conserved": "transfer", "bounds": "flash-sale", "torn-read": "read-write", "exclusion": "counter",
	} {
		s := story(workload, "off").acquire("a", 0).release("a").acquire("b", 0)
		if check != "linearizable" { // a refused read is for that check only
			s.sendRead("b", "").refused("b").fail("b")
		}
		if got := mustRun(t, s.release("b").history(), check)[0]; got.Applies || got.Verdict != Valid {
			t.Errorf("%s of a section without an operation: %+v", check, got)
		}
	}
}

// Several sections that violate a check count one by one.
func TestEverySectionCounts(t *testing.T) {
	s := story("counter", "off").fenced()
	for range 12 {
		s.acquire("a", 0).release("a")
	}
	if got := mustRun(t, s.history(), "fencing")[0]; got.Count != 12 || len(got.Findings) != maxFindings {
		t.Errorf("12 sections without a token are %d violations with %d findings", got.Count, len(got.Findings))
	}
}

// A grant without a section counts by itself.
func TestGrantsOfNoSectionCountOneByOne(t *testing.T) {
	s := story("counter", "off")
	for range 3 {
		s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock"}).
			renewed("b", "a").renewed("b", "a").freed("b", "a")
	}
	if got := mustRun(t, s.history(), "ownership")[0]; got.Count != 3 || len(got.Findings) != 9 {
		t.Errorf("3 grants of which another renewed and freed each are %d violations, %d findings", got.Count, len(got.Findings))
	}
}
