package reports

import (
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// worked returns a campaign of one strategy without violations.
type worked struct {
	jobs, finished int64
	bounds         []results.BoundResult
}

func (w worked) campaign(t *testing.T) *results.Campaign {
	t.Helper()
	c := checked{runs: "1-100"}.campaign(t)
	c.Strategies[0].Metrics = checker.Metrics{Jobs: w.jobs, Finished: w.finished}
	c.Strategies[0].Bounds = w.bounds
	return c
}

// The finished share is worse if it fell by more than a percent of the work, and significantly even
// if each of the 100 runs finished all its jobs or none. A bound is worse if it was met in base and is not in head.
func TestCompareJudgesMeasures(t *testing.T) {
	bound := func(met bool, figure string) []results.BoundResult {
		return []results.BoundResult{{Measure: "wait-p99", Bound: "<= 5s", Figure: figure, Met: met}}
	}
	for _, tt := range []struct {
		name       string
		base, head worked
		want       judgement // of the measure; Same: none is listed
		why        string
	}{
		{"forty points fewer", worked{jobs: 10000, finished: 9500}, worked{jobs: 10000, finished: 5500}, worse, "5,500 of 10,000 finished, and 9,500 of 10,000 before"},
		{"forty points more", worked{jobs: 10000, finished: 5500}, worked{jobs: 10000, finished: 9500}, better, "9,500 of 10,000"},
		// 95 and 89 of 100 runs have the Wilson intervals 88.8 to 97.8 % and 81.4 to 93.7 %. The
		// difference of -6 points has the interval -6-sqrt(7.6²+2.8²) to -6+sqrt(4.7²+6.2²), -14.1 to 1.8.
		{"six points fewer of many jobs in 100 runs", worked{jobs: 10000, finished: 9500}, worked{jobs: 10000, finished: 8900}, cannotTell, "the jobs of a run depend on each other, and 100 runs against 100 are too few to tell"},
		{"six points more of many jobs in 100 runs", worked{jobs: 10000, finished: 8900}, worked{jobs: 10000, finished: 9500}, cannotTell, "are too few to tell"},
		{"a third of a point fewer of many", worked{jobs: 100000, finished: 99500}, worked{jobs: 100000, finished: 99200}, same, ""},
		{"five points fewer of few", worked{jobs: 40, finished: 40}, worked{jobs: 40, finished: 38}, same, ""},
		{"nothing any more", worked{jobs: 200, finished: 200}, worked{jobs: 200}, worse, "0 of 200 finished"},
		{"a bound that was met", worked{bounds: bound(true, "4.1s")}, worked{bounds: bound(false, "5.2s")}, worse, "it is expected to be <= 5s, and was"},
		{"a bound that is met now", worked{bounds: bound(false, "5.2s")}, worked{bounds: bound(true, "4.1s")}, better, "it is <= 5s now"},
		{"a bound that is missed as before", worked{bounds: bound(false, "5.2s")}, worked{bounds: bound(false, "9s")}, same, ""},
		{"a bound that is new", worked{}, worked{bounds: bound(false, "9s")}, same, ""},
		{"an older result without jobs", worked{}, worked{jobs: 100, finished: 10}, same, ""},
		{"an older result as the head", worked{jobs: 100, finished: 100}, worked{}, same, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Compare(tt.base.campaign(t), tt.head.campaign(t))
			list := c.Strategies[0].Measures
			if tt.want == same {
				if len(list) != 0 || c.Verdict == worse {
					t.Errorf("%s, with %+v", c.Verdict, list)
				}
				return
			}
			if len(list) != 1 || list[0].Verdict != tt.want || !strings.Contains(list[0].Why, tt.why) || c.Verdict != tt.want {
				t.Errorf("%s, with %+v; want %s: %s", c.Verdict, list, tt.want, tt.why)
			}
		})
	}
}
