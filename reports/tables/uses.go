package tables

import (
	"cmp"
	"fmt"
	"strings"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Seeds prints which seeds were run, and the settings from the command line.
func Seeds(c *results.Campaign) string {
	return strings.Join(append([]string{seedRange(c.Seeds)}, overridden(c.Overrides)...), ", ")
}

func seedRange(r results.SeedRange) string {
	if r.First == r.Last {
		return fmt.Sprintf("seed %d", r.First)
	}
	return fmt.Sprintf("seeds %d to %d", r.First, r.Last)
}

// overridden makes overrides safe to print.
func overridden(overrides []string) []string {
	var shown []string
	for _, o := range overrides {
		shown = append(shown, words.Plain(o, 60))
	}
	return shown
}

// Name prints the label of a use, with its strategy in brackets if that differs.
func Name(st results.StrategyStats) string { return words.Labelled(st.Label, st.Name) }

// Violated lists the checks that a use violated, each with its number of runs, those without harm last.
func Violated(st results.StrategyStats) string {
	var parts, harmless []string
	for _, check := range st.Order {
		part := fmt.Sprintf("%s %s", check, words.Thousands(st.Checks[check].Violating))
		switch {
		case st.Checks[check].Violating == 0:
		case st.Harmless(check):
			harmless = append(harmless, part+" (harmless)")
		default:
			parts = append(parts, part)
		}
	}
	return cmp.Or(strings.Join(append(parts, harmless...), ", "), "none")
}

// Highest returns the upper bound of a strategy's rate: of its interval, or if no run is
// violating, the exact one-sided bound.
func Highest(st results.StrategyStats) float64 {
	if st.Violating == 0 && st.Runs > 0 {
		return stats.AtMost(st.Runs)
	}
	return st.High
}

// IntervalOf prints the interval of a strategy's rate, or if no run is violating, the
// exact one-sided bound.
func IntervalOf(st results.StrategyStats) string {
	if st.Violating == 0 {
		return words.Below(stats.AtMost(st.Runs))
	}
	return words.Interval(st.Low, st.High)
}

// Outcome compares a use with what the scenario expects of it.
type Outcome string

// The outcomes, by the names that report.html filters by.
const (
	Unasked    Outcome = "unasked" // the scenario expects nothing
	AsExpected Outcome = "expected"
	Unexpected Outcome = "unexpected"
	Undecided  Outcome = "unknown"
)

// OutcomeOf returns the outcome of a use.
func OutcomeOf(st results.StrategyStats) Outcome {
	switch {
	case !st.Decides:
		return Unasked
	case st.Expected == results.AsExpected:
		return AsExpected
	case st.Expected == results.NotAsExpected:
		return Unexpected
	}
	return Undecided
}

// Cell prints an outcome for a table.
func (o Outcome) Cell() string {
	switch o {
	case Unasked:
		return "-"
	case AsExpected:
		return "yes"
	case Unexpected:
		return "NO"
	case Undecided:
	}
	return "unknown"
}

// Words prints an outcome for a sentence.
func (o Outcome) Words() string {
	switch o {
	case Unasked:
		return "nothing was expected"
	case AsExpected:
		return "as expected"
	case Unexpected:
		return "not as expected"
	case Undecided:
	}
	return "cannot tell yet"
}
