package campaign

import (
	"testing"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// In each of many seeds the scripted scenarios end as they were written to.
func TestScriptedScenariosEndTheSameInEverySeed(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 50
	}
	for _, name := range []string{"kleppmann", "late-packet", "unfenced-reads"} {
		t.Run(name, func(t *testing.T) {
			s := loaded(t, name)
			c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: seeds}})
			if c.Verdict != results.Pass {
				t.Errorf("%s", c.Summary())
			}
			violatesInEveryRun(t, c)
		})
	}
}

// violatesInEveryRun holds a campaign to more than its scenario expects of it: what
// a strategy is to violate it violates in every run.
func violatesInEveryRun(t *testing.T, c *results.Campaign) {
	t.Helper()
	for _, st := range c.Strategies {
		for _, check := range st.Expects.Violates {
			if n := st.Checks[check].Violating; n != st.Runs {
				t.Errorf("%s: %s is violated in %d of %d runs", st.Label, check, n, st.Runs)
			}
		}
	}
}

// The rates of gc-pause stand where independent models put them, as far as this
// number of seeds can tell: those of the locks that do not check their clock
// where a simulation without the engine puts them.
func TestGCPauseRates(t *testing.T) {
	s := loaded(t, "gc-pause")
	seeds := s.Seeds
	if testing.Short() {
		seeds = 20
	}
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: uint64(seeds)}})
	if !testing.Short() && c.Verdict != results.Pass {
		t.Errorf("%s", c.Summary())
	}
	for _, st := range c.Strategies {
		t.Logf("%s: %d of %d", st.Label, st.Violating, st.Runs)
		if st.Unknown > 0 {
			t.Errorf("%s: %d runs are unknown", st.Label, st.Unknown)
		}
		low, high := 0.0, 1.0
		switch st.Label {
		case "none":
			low = 1
		case "fenced":
			high = 0
		case "redis-watchdog":
			high = 0.01
		case "redis":
			low, high = gcPauseRate(false, false)
		case "redis-watchdog-cancel":
			low, high = gcPauseRate(true, false)
		case "cancel-unheeded":
			low, high = gcPauseRate(true, true)
		case "fenced-writes":
			low, high = 0.020, 0.055
		}
		if !testing.Short() && (st.High < low || st.Low > high) {
			t.Errorf("%s violates in %d of %d runs, whose interval %.3f to %.3f does not meet %.3f to %.3f",
				st.Label, st.Violating, st.Runs, st.Low, st.High, low, high)
		}
	}
	for _, f := range c.Faults {
		if f.Hit == 0 || f.Hit > f.Happened || f.Happened > f.Planned {
			t.Errorf("fault %d: planned %d, happened %d, hit %d", f.Spec, f.Planned, f.Happened, f.Hit)
		}
	}
}

// Kleppmann's failure, verdict by verdict.
func TestKleppmannVerdicts(t *testing.T) {
	s := loaded(t, "kleppmann")
	for _, test := range []struct {
		label   string
		invalid bool
		refused bool
	}{
		{"redis", true, false},
		{"redis-checked", true, false},
		{"redis-watchdog", true, false},
		{"fenced", false, true},
		{"fenced-writes", false, true},
	} {
		trial := trialOf(t, s, test.label, 1)
		for _, r := range trial.Results {
			if r.Check == "linearizable" || r.Check == "lost-update" {
				if got := r.Verdict == checker.Invalid; got != test.invalid {
					t.Errorf("%s: %s is %s", test.label, r.Check, r.Verdict)
				}
			}
		}
		refused := false
		for _, e := range trial.History.Events {
			refused = refused || e.Type == "applied" && e.Op == "write" && !e.Accepted
		}
		if refused != test.refused {
			t.Errorf("%s: a write was refused: %v", test.label, refused)
		}
	}
}
