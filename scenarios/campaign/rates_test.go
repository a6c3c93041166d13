package campaign

import (
	"fmt"
	"math"
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// counted says in the most direct way how often something went wrong in a history.
// It shares nothing with the checks: each section is compared with all others and with
// every lease that ended.
type counted struct{ lostUpdates, overlaps, beliefs, losses int64 }

func countOf(t *testing.T, h *history.History) counted {
	t.Helper()
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	var expired []*history.Event
	for i := range h.Events {
		if e := &h.Events[i]; e.Type == history.Expired {
			expired = append(expired, e)
		}
	}
	var c counted
	for _, s := range sections {
		overlapped, doubted, lost := int64(0), int64(0), int64(0)
		first, last := workOf(s)
		for _, other := range sections {
			if from, _ := workOf(other); first != 0 && first < from && from < last {
				overlapped = 1
			}
			if s.Entered() && s.Enter < other.Enter && other.Enter < earliest(s.Told, s.Leave, s.Return, s.Crash) {
				doubted = 1
			}
		}
		for _, e := range expired {
			if s.Entered() && e.Seq > s.Grant && e.Owner == h.Events[s.Grant-1].Owner && e.Seq < earliest(s.Leave, s.Return, s.Crash) {
				lost = 1
			}
		}
		for i, o := range s.Ops {
			for k := i - 1; o.Write() && o.Accepted && k >= 0; k-- {
				if seen := s.Ops[k]; seen.Outcome == history.OutcomeOK && seen.Return < o.Invoke {
					c.lostUpdates += one(seen.Value != o.Prior)
					break
				}
			}
		}
		c.overlaps += overlapped
		c.beliefs += doubted
		c.losses += lost
	}
	return c
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// workOf returns the first and the last event at which the resource accepted
// something of a section, 0 if there is none.
func workOf(s *history.Section) (first, last int64) {
	for _, o := range s.Ops {
		if o.Accepted {
			if first == 0 {
				first = o.Applied
			}
			first, last = min(first, o.Applied), max(last, o.Applied)
		}
	}
	return first, last
}

// earliest is the first of some events, of which 0 never came.
func earliest(events ...int64) int64 {
	first := int64(math.MaxInt64)
	for _, seq := range events {
		if seq != 0 {
			first = min(first, seq)
		}
	}
	return first
}

// TestRatesDoNotDependOnTheDuration: in one world a violation is as frequent in a
// minute as in ten, and each is counted once: as an independent count has it. A check
// that stops at its first contradiction has no rate, since it would fall with the duration.
func TestRatesDoNotDependOnTheDuration(t *testing.T) {
	checks := []string{"lost-update", "exclusion", "belief"}
	labels := []string{"redis", "fenced-writes"}
	seen := map[string][]*stats.Rate{} // by label and check, one for each duration
	for _, world := range []struct {
		duration string
		seeds    uint64
	}{{"60s", 20}, {"300s", 4}, {"600s", 2}} { // 20 minutes each
		s, err := scenarios.LoadWith("gc-pause", []results.Override{{Path: "network.latency", Value: "1ms"}, {Path: "duration", Value: world.duration}})
		if err != nil {
			t.Fatal(err)
		}
		c := campaignOf(t, s, Request{Strategies: labels, Seeds: results.SeedRange{First: 1, Last: world.seeds}})
		for _, st := range c.Strategies {
			want := map[string]int64{}
			for seed := uint64(1); seed <= world.seeds; seed++ {
				direct := countOf(t, trialOf(t, s, st.Label, seed).History)
				want["lost-update"] += direct.lostUpdates
				want["exclusion"] += direct.overlaps
				want["belief"] += direct.beliefs
				want["losses"] += direct.losses
			}
			got := map[string]int64{"losses": st.Metrics.LossesNoticed + st.Metrics.LossesUnnoticed}
			for _, check := range checks {
				stats := st.Checks[check]
				got[check] = stats.Violations
				seen[st.Label+" "+check] = append(seen[st.Label+" "+check], stats.PerLockHour)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s for %s: counted %v, directly %v", st.Label, world.duration, got, want)
			}
			for check, stats := range st.Checks {
				known, _ := checker.Lookup(check)
				rated := stats.PerLockHour != nil || stats.PerThousand != nil || stats.Dispersion != 0
				if stats.Applies && rated != (known.NoRate == "") {
					t.Errorf("%s for %s: %s has the rates %v and %v", st.Label, world.duration, check, stats.PerLockHour, stats.PerThousand)
				}
			}
		}
	}
	for which, rates := range seen {
		for i, a := range rates {
			t.Logf("%s: %v per lock-hour, %v to %v", which, a.Rate, a.Low, a.High)
			for _, b := range rates[:i] {
				if a.Low > b.High || b.Low > a.High {
					t.Errorf("%s: %+v and %+v per lock-hour in one world", which, *a, *b)
				}
			}
		}
	}
	for _, label := range labels {
		if rate := seen[label+" belief"][0]; rate.Rate < 10 {
			t.Errorf("%s: two believed %v times per lock-hour, so nothing was compared", label, rate.Rate)
		}
	}
}

// Each run of Kleppmann's failure loses one of two updates: 500 of 1,000.
func TestALostUpdateCountsOnce(t *testing.T) {
	c := campaignOf(t, loaded(t, "kleppmann"), Request{Strategies: []string{"redis"}, Seeds: results.SeedRange{First: 1, Last: 3}})
	lost := c.Strategies[0].Checks["lost-update"]
	if lost.Violations != 3 || lost.PerThousand.Rate != 500 {
		t.Errorf("%d lost updates, %v of 1,000 acquisitions", lost.Violations, lost.PerThousand.Rate)
	}
}
