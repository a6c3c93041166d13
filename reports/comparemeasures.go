package reports

import (
	"fmt"
	"math"
	"slices"

	"lockquake/internal/stats"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// measureChange compares one measure of one strategy: the finished share, or a measure that
// the scenario bounds.
type measureChange struct {
	Measure string    `json:"measure"`
	Verdict judgement `json:"verdict"`
	Why     string    `json:"why"`
	Base    string    `json:"base"`
	Head    string    `json:"head"`
}

// compareMeasures lists the measures of a strategy that differ. A measure is worse if its
// bound was met in base and is not in head, and better in the opposite case. The finished
// share is worse or better if it changed by more than one percent, and significantly.
func compareMeasures(base, head *results.StrategyStats) []measureChange {
	var list []measureChange
	for _, is := range head.Bounds {
		i := slices.IndexFunc(base.Bounds, func(was results.BoundResult) bool {
			return was.Measure == is.Measure && was.Bound == is.Bound
		})
		if i < 0 {
			continue
		}
		if was := base.Bounds[i]; was.Met != is.Met {
			m := measureChange{Measure: is.Measure, Verdict: better, Why: "it is " + is.Bound + " now", Base: was.Figure, Head: is.Figure}
			if was.Met {
				m.Verdict, m.Why = worse, "it is expected to be "+is.Bound+", and was"
			}
			list = append(list, m)
		}
	}
	if m := compareFinished(base, head); m.Verdict != same && !slices.ContainsFunc(list, func(other measureChange) bool { return other.Measure == m.Measure }) {
		list = append(list, m)
	}
	return list
}

// compareFinished judges the share of the work that was finished. The unit of the test is the run,
// since the jobs of a run depend on each other. A results file has no spread of the runs, so the
// test takes the largest that shares with this mean can have: each run finishes all its jobs or none. A
// change beyond one percent that is significant only with the job as the unit cannot be told.
func compareFinished(base, head *results.StrategyStats) measureChange {
	was, is := &base.Metrics, &head.Metrics
	c := measureChange{Measure: "finished", Verdict: same, Base: tables.Finished(*base), Head: tables.Finished(*head)}
	if was.Jobs == 0 || is.Jobs == 0 || base.Runs == 0 || head.Runs == 0 {
		return c // an older result does not have it
	}
	from, to := float64(was.Finished)/float64(was.Jobs), float64(is.Finished)/float64(is.Jobs)
	byJob := differ(stats.Difference(int(was.Finished), int(was.Jobs), int(is.Finished), int(is.Jobs)))
	byRun := differ(stats.Difference(wholeRuns(from, base.Runs), base.Runs, wholeRuns(to, head.Runs), head.Runs))
	c.Why = fmt.Sprintf("%s of %s finished, and %s of %s before", words.Thousands(int(is.Finished)), words.Thousands(int(is.Jobs)), words.Thousands(int(was.Finished)), words.Thousands(int(was.Jobs)))
	switch {
	case !byJob || math.Abs(to-from) <= indifference:
	case !byRun:
		c.Verdict = cannotTell
		c.Why += fmt.Sprintf("; the jobs of a run depend on each other, and %s against %s are too few to tell",
			words.Counted(head.Runs, "run"), words.Thousands(base.Runs))
	case to < from:
		c.Verdict = worse
	default:
		c.Verdict = better
	}
	return c
}

// differ reports whether an interval of a difference excludes 0.
func differ(low, high float64) bool { return low > 0 || high < 0 }

// wholeRuns returns how many of the runs make up a share.
func wholeRuns(share float64, runs int) int { return int(math.Round(share * float64(runs))) }
