package rate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

const (
	// A pause counts as long from this share on of the shortest that breaks a strategy: the rest is left for
	// latencies and work in their tails.
	longShare = 0.9
	// The search for the shortest: from this share of the longest pause that is tried, in steps of a
	// factor of two, and then to this precision.
	shortestShare = 1.0 / 8
	precision     = 0.02
	// The longest pause that is tried, in leases, and without a lease.
	longestLeases = 3
	longestTried  = time.Minute
	// A pause of less than this share of the shortest lease breaks hardly any lock, so no lower threshold is expected.
	leaseShare = 3
	// In the search, a waiting worker asks at least this many times in a lease, so that the lock that a
	// pause frees is taken at once.
	asksInALease  = 25
	searchSeeds   = 2 // the lowest are of the search, and the next of the test
	testSteps     = 5 // lengths from a half of the threshold up to it
	unboundedHold = 0.999
)

// threshold finds which pauses are long.
func (e *estimate) threshold(ctx context.Context) error {
	worst, err := e.worst()
	if err != nil {
		return err
	}
	if err := e.without(ctx, worst); err != nil {
		return err
	}
	var grid []time.Duration
	longest := e.longest()
	for d := longest; d >= time.Duration(float64(longest)*shortestShare); d /= 2 {
		grid = append(grid, d)
	}
	slices.Reverse(grid)
	for i := range e.result.Strategies {
		if y := &e.result.Strategies[i]; y.Without == nil {
			if err := e.bisect(ctx, worst, y, grid); err != nil {
				return err
			}
		}
	}
	e.result.Long.From = e.longFrom()
	return e.test(ctx)
}

// longest returns the longest pause that is tried. No threshold is higher.
func (e *estimate) longest() time.Duration {
	if e.lease > 0 {
		return longestLeases * e.lease
	}
	return longestTried
}

// lowest returns the lowest threshold that is expected before the search; 0 without a lease.
func (e *estimate) lowest() time.Duration { return e.shortest / leaseShare }

// worst returns the scenario in which a pause does the most harm: the work takes as long as it can, and
// a waiting worker asks often.
func (e *estimate) worst() (*scenarios.Scenario, error) {
	set := []results.Override{{Path: "workload.hold", Value: e.hold.String()}}
	s, err := e.scenario.With(set)
	if _, wrong := errors.AsType[*scenarios.SettingError](err); wrong { // a workload without work
		s, err = e.scenario, nil
	}
	often := e.lease / asksInALease
	if err != nil || e.wait <= often {
		return s, err
	}
	set = []results.Override{{Path: "lock.retry.delay", Value: often.String()}, {Path: "lock.retry.jitter", Value: "0s"}}
	if e.doubles {
		set = append(set, results.Override{Path: "lock.retry.doubling", Value: "false"})
	}
	eager, err := s.With(set)
	if _, wrong := errors.AsType[*scenarios.SettingError](err); wrong { // a lock that does not ask again
		return s, nil
	}
	return eager, err
}

// longestHold returns how long the work can take: of an unbounded distribution, as long as one in a
// thousand does.
func longestHold(d draw.Dist) time.Duration {
	if d.Kind == draw.Constant || d.IsZero() {
		return d.Value
	}
	if d.Kind == draw.Uniform || d.Kind == draw.Empirical {
		return d.Quantile(1 - 1e-12)
	}
	return d.Quantile(unboundedHold)
}

// without finds the strategies that violate a check without a pause.
func (e *estimate) without(ctx context.Context, worst *scenarios.Scenario) error {
	found, err := e.explore(ctx, worst, e.labels(), time.Nanosecond, 1)
	for _, st := range found {
		for _, check := range st.Without {
			if y := e.of(st.Label); slices.Contains(e.checks, check) {
				y.Without = append(y.Without, check)
			}
		}
	}
	return err
}

// bisect finds the shortest pause that breaks a strategy at any point.
func (e *estimate) bisect(ctx context.Context, worst *scenarios.Scenario, y *results.YearlyRate, grid []time.Duration) error {
	breaks := func(d time.Duration) (bool, error) {
		broken, at, err := e.broken(ctx, worst, []string{y.Label}, d, 1)
		if broken != nil {
			y.Breaks, y.At = d, at
		}
		return broken != nil, err
	}
	low := time.Duration(0)
	for _, d := range grid {
		broken, err := breaks(d)
		if err != nil {
			return err
		}
		if broken {
			break
		}
		low = d
	}
	if y.Breaks == 0 {
		y.Unbroken = low
		return nil
	}
	for y.Breaks-low > time.Duration(precision*float64(y.Breaks)) {
		middle := threeDigits((low + y.Breaks) / 2)
		if middle <= low {
			break
		}
		broken, err := breaks(middle)
		if err != nil {
			return err
		}
		if !broken {
			low = middle
		}
	}
	return nil
}

// longFrom returns the length from which on a pause is long, for all strategies: below the shortest that
// breaks one of them. If none breaks, half a lease; without a lease, half of the longest that was tried.
func (e *estimate) longFrom() time.Duration {
	shortest := time.Duration(0)
	for _, y := range e.result.Strategies {
		if y.Breaks > 0 && (shortest == 0 || y.Breaks < shortest) {
			shortest = y.Breaks
		}
	}
	switch {
	case shortest > 0:
		return threeDigits(time.Duration(longShare * float64(shortest)))
	case e.lease > 0:
		return e.lease / 2
	}
	return longestTried / 2
}

// threeDigits cuts a duration to three digits.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Truncate(unit)
}

// test places pauses of half the threshold up to it at every point, with the settings of the scenario.
// If one of them breaks a check, the threshold was too high, and is lowered.
func (e *estimate) test(ctx context.Context) error {
	long := &e.result.Long
	long.Placed = 0
	var labels []string
	for _, y := range e.result.Strategies {
		if y.Without == nil {
			labels = append(labels, y.Label)
		}
	}
	if labels == nil {
		return nil
	}
	for i := 0; i < testSteps; i++ {
		d := threeDigits(long.From/2 + time.Duration(i)*(long.From/2)/(testSteps-1))
		y, at, err := e.broken(ctx, e.scenario, labels, d, 1+searchSeeds)
		if err != nil {
			return err
		}
		if y == nil {
			long.Tested = append(long.Tested, d)
			continue
		}
		if long.From = threeDigits(time.Duration(longShare * float64(d))); long.From < time.Millisecond {
			return &Error{fmt.Sprintf("a pause of %v breaks %s: no pause is too short to matter", d, y.Label)}
		}
		y.Breaks, y.At, y.Unbroken = d, at, 0
		long.Lowered, long.Tested, long.Placed, i = true, nil, 0, -1
	}
	words := []string{e.program(), "explore", e.scenario.Argument(), "--kinds pause", fmt.Sprintf("--for %v", long.Tested[len(long.Tested)-1])}
	words = append(words, fmt.Sprintf("--workers %d --seed %d", e.workers(), 1+searchSeeds), "--strategy", scenarios.Word(strings.Join(labels, ",")))
	long.Command, long.Seeds = strings.Join(words, " "), searchSeeds
	return nil
}

// broken returns the first strategy of which a pause violates a check, and its placement; nil if no pause does.
func (e *estimate) broken(ctx context.Context, s *scenarios.Scenario, labels []string, d time.Duration, first uint64) (*results.YearlyRate, string, error) {
	for seed := first; seed < first+searchSeeds; seed++ {
		found, err := e.explore(ctx, s, labels, d, seed)
		if err != nil {
			return nil, "", err
		}
		for _, st := range found {
			e.result.Long.Placed += st.Tried
			for _, p := range st.Singles {
				if slices.ContainsFunc(p.Violated, func(check string) bool { return slices.Contains(e.checks, check) }) {
					return e.of(st.Label), p.Places[0].Text, nil
				}
			}
		}
	}
	return nil, "", nil
}

// explore places a pause at every point of a small run.
func (e *estimate) explore(ctx context.Context, s *scenarios.Scenario, labels []string, d time.Duration, seed uint64) ([]results.ExploredStats, error) {
	found, err := search.Explore(ctx, e.judged(s), search.ExploreRequest{
		Kinds: []string{"pause"}, For: d, Workers: e.workers(), Seed: seed, Strategies: labels, Own: e.Own, Jobs: e.Jobs, Stall: e.Stall,
	})
	if err != nil {
		return nil, err
	}
	return found.Strategies, nil
}

// workers returns the number of workers of a small run: two, or one more than the lock lets in.
func (e *estimate) workers() int {
	return min(e.scenario.Workers, max(2, e.scenario.Workload.Permits+1))
}
