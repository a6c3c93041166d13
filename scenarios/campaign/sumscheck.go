package campaign

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// differs returns why sums cannot be added to these, "" if they can.
func (a *sums) differs(more *sums) string {
	if len(a.Faults) != len(more.Faults) || len(a.Uses[0].Checks) != len(more.Uses[0].Checks) {
		return "its sums are of another scenario"
	}
	if !slices.Equal(a.labels(), more.labels()) {
		return fmt.Sprintf("its runs are of %.200s, and not of %.200s: with more than a million runs the strategies and their order must be the same", strings.Join(more.labels(), ", "), strings.Join(a.labels(), ", "))
	}
	for i, u := range a.Uses {
		if twice := u.Seeds.Common(more.Uses[i].Seeds); !twice.IsZero() {
			return fmt.Sprintf("seeds %s of %.60s are in two of the reports", twice.First(mostRanges), u.Label)
		}
	}
	return ""
}

// fault returns what is wrong with sums that were read from a file, as far as it can be known without
// the scenario; "" if nothing is.
func (a *sums) fault() string {
	if len(a.Uses) == 0 {
		return "sums of no strategy"
	}
	contradict := slices.Contains(a.Uses, nil)
	for _, f := range a.Faults {
		contradict = contradict || f.Planned < 0 || f.Happened < 0 || f.Hit < 0
	}
	for _, u := range a.Uses {
		contradict = contradict || !u.sound() || len(u.Checks) != len(a.Uses[0].Checks)
	}
	if contradict {
		return "its sums contradict each other"
	}
	labels := a.labels()
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			return fmt.Sprintf("strategy %.60q appears twice", label)
		}
	}
	return ""
}

// sound reports whether the figures of a use can be those of one set of runs.
func (u *useSums) sound() bool {
	p := u.Pair
	switch {
	case u.Seeds.Cut, u.Seeds.Count() != u.Runs, !within(u.Runs, u.Violating, u.Unknown):
		return false
	case u.Acquisitions < 0, u.Hit < 0, !within(u.Runs, u.HitRuns), int64(u.HitRuns) > u.Hit, !within(u.Runs, p.Seeds), !within(p.Seeds, p.Both, p.BaseOnly, p.Only):
		return false
	case u.Unread != nil && !u.Seeds.Has(u.Unread.Seed), u.Metrics.Runs != int64(u.Runs), !soundMetrics(u.Metrics):
		return false
	}
	for i := range u.Checks {
		if !u.Checks[i].sound(u) {
			return false
		}
	}
	return true
}

// sound reports whether the figures of a check can be those of the runs of the use.
func (c *checkSums) sound(u *useSums) bool {
	beyond := func(seeds results.SeedSet) bool { return len(seeds.Without(u.Seeds).Ranges) > 0 }
	switch {
	case !within(u.Runs, c.Violating, c.Unknown), !c.Seeds.Counts(c.Violating), !c.UnknownSeeds.Counts(c.Unknown):
		return false
	case beyond(c.Seeds), beyond(c.UnknownSeeds), len(c.Seeds.Common(c.UnknownSeeds).Ranges) > 0:
		return false
	case c.Violating == 0:
		return c.First == nil && c.Violations == 0 && c.Squares == checker.Sum{}
	}
	// The square of a whole number is not below it.
	return c.First != nil && len(c.Seeds.Ranges) > 0 && c.First.Seed == c.Seeds.Ranges[0].First &&
		c.Violations >= int64(c.Violating) && c.Squares.Float() >= float64(c.Violations)
}

// soundMetrics reports whether no count is negative, and fairness is a share.
func soundMetrics(m checker.Metrics) bool {
	for _, value := range reflect.ValueOf(m).Fields() {
		if value.CanInt() && value.Int() < 0 {
			return false
		}
	}
	return m.Fairness >= 0 && m.Fairness <= 1
}

// within reports whether counts of disjoint runs fit among all.
func within(all int, counts ...int) bool {
	for _, n := range counts {
		if n < 0 || n > all {
			return false
		}
		all -= n
	}
	return true
}

// of returns what is wrong with sums for a scenario, "" if nothing is.
func (a *sums) of(s *scenarios.Scenario) string {
	wrong := len(a.Faults) != len(s.Faults) || len(a.Uses[0].Checks) != len(s.Checks)
	for i, f := range a.Faults {
		wrong = wrong || f.Spec != i || s.Faults[i].Kind() != f.Kind
	}
	if wrong {
		return "its sums are not of the scenario " + s.Name
	}
	return ""
}
