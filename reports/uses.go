package reports

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// seeds says what was run: the seeds, and what was set from outside.
func seeds(c *results.Campaign) string {
	return strings.Join(append([]string{seedRange(c.Seeds)}, overridden(c.Overrides)...), ", ")
}

func seedRange(r results.SeedRange) string {
	if r.First == r.Last {
		return fmt.Sprintf("seed %d", r.First)
	}
	return fmt.Sprintf("seeds %d to %d", r.First, r.Last)
}

// overridden makes overrides fit to be shown.
func overridden(overrides []string) []string {
	var shown []string
	for _, o := range overrides {
		shown = append(shown, plain(o, 60))
	}
	return shown
}

// name is the label of a use, and its strategy where that is another word.
func name(st results.StrategyStats) string { return labelled(st.Label, st.Name) }

// labelled is a label with the strategy behind it, "" where nobody knows that.
func labelled(label, strategy string) string {
	if strategy == "" || strategy == label {
		return plain(label, 60)
	}
	return fmt.Sprintf("%s (%s)", plain(label, 60), plain(strategy, 60))
}

// violated lists the checks of a use that were violated, with how often.
func violated(st results.StrategyStats) string {
	var parts []string
	for _, check := range st.Order {
		if n := st.Checks[check].Violating; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", check, thousands(n)))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// highest is the upper end of what is known of a strategy's rate: of its interval,
// or where no run is violating the exact bound to one side.
func highest(st results.StrategyStats) float64 {
	if st.Violating == 0 && st.Runs > 0 {
		return stats.AtMost(st.Runs)
	}
	return st.High
}

// intervalOf prints the interval of a strategy's rate; where no run is
// violating, the exact bound to one side.
func intervalOf(st results.StrategyStats) string {
	if st.Violating == 0 {
		return below(stats.AtMost(st.Runs))
	}
	return interval(st.Low, st.High)
}

// outcome is how what was seen of a use compares to what was expected of it.
type outcome string

// The outcomes, by the names that report.html filters by.
const (
	unasked    outcome = "unasked" // nothing was expected
	asExpected outcome = "expected"
	unexpected outcome = "unexpected"
	undecided  outcome = "unknown"
)

func outcomeOf(st results.StrategyStats) outcome {
	switch {
	case !st.Decides:
		return unasked
	case st.Expected == results.AsExpected:
		return asExpected
	case st.Expected == results.NotAsExpected:
		return unexpected
	}
	return undecided
}

// cell is an outcome in a table.
func (o outcome) cell() string {
	switch o {
	case unasked:
		return "-"
	case asExpected:
		return "yes"
	case unexpected:
		return "NO"
	case undecided:
	}
	return "unknown"
}

// words is an outcome in a sentence.
func (o outcome) words() string {
	switch o {
	case unasked:
		return "nothing was expected"
	case asExpected:
		return "as expected"
	case unexpected:
		return "not as expected"
	case undecided:
	}
	return "cannot tell yet"
}

// failed lists the uses with a failure, in their order.
func failed(c *results.Campaign) []results.StrategyStats {
	return slices.DeleteFunc(slices.Clone(c.Strategies), func(st results.StrategyStats) bool { return len(st.Failures) == 0 })
}
