package results

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
)

// NoFault is the name of the case without the faults of any case.
const NoFault = "no-fault"

// unknown is how a reason begins that says why something is unknown.
const unknown = "unknown: "

// IsUnknown reports whether a reason says why something is unknown, and not what was not expected.
func IsUnknown(reason string) bool { return strings.HasPrefix(reason, unknown) }

// Contradiction is a result that is not as the scenario expects.
type Contradiction struct {
	About string // the check, or the measure of a bound
	Text  string // a sentence
}

// Contradiction returns the most serious result of a strategy that is not as the scenario expects. It
// is of use only if Expected is NotAsExpected.
func (st StrategyStats) Contradiction() Contradiction {
	if st.Expects == nil {
		checks := slices.DeleteFunc(checker.Serious(st.violated()), checker.Advisory)
		return Contradiction{strings.Join(checks[:min(1, len(checks))], ""), fmt.Sprintf("not expected: %s violated %s in %d of %s", st.Label, strings.Join(checks, ", "), st.Violating, runs(st.Runs))}
	}
	for _, check := range checker.Serious(st.Expects.Holds) {
		if stats := st.Checks[check]; stats.Violating > 0 {
			return Contradiction{check, fmt.Sprintf("not expected: %s violated %s in %d of %s, first with seed %d", st.Label, check, stats.Violating, runs(st.Runs), stats.FirstSeed)}
		}
	}
	for _, check := range checker.Serious(st.Expects.Violates) {
		if st.Checks[check].Violating == 0 {
			return Contradiction{check, fmt.Sprintf("not expected: %s did not violate %s in %s", st.Label, check, runs(st.Runs))}
		}
	}
	for _, bound := range st.Bounds {
		if !bound.Met {
			return Contradiction{bound.Measure, fmt.Sprintf("not expected: %s: %v", st.Label, bound)}
		}
	}
	return Contradiction{Text: "not expected: the results of " + st.Label}
}

// Undecided returns a sentence that explains why it is unknown whether a strategy is as expected. Needed
// is the number of runs that decide that something does not happen.
func (st StrategyStats) Undecided(needed int) string {
	if reason := st.Inconclusive(); reason != "" {
		return fmt.Sprintf("unknown: %s %s", st.Label, reason)
	}
	if st.Expects != nil {
		for _, check := range st.Expects.Holds {
			if !st.Checks[check].Applies {
				return fmt.Sprintf("unknown: %s is expected to hold for %s, and has nothing to judge", check, st.Label)
			}
		}
		for _, check := range st.Expects.Violates {
			if st.Checks[check].Violating == 0 {
				return fmt.Sprintf("unknown: %s did not violate %s in %s; it takes %d to tell", st.Label, check, runs(st.Runs), needed)
			}
		}
	}
	return "unknown: the results of " + st.Label
}

// Inconclusive returns why the runs of a strategy are too little to tell whether it fails, as the
// predicate of a sentence about it; "" if they are enough.
func (st StrategyStats) Inconclusive() string {
	if st.Runs == 0 {
		return "finished no run"
	}
	if reason := st.Untested(); reason != "" {
		return reason
	}
	judged := false
	for _, check := range st.Order {
		judged = judged || st.Checks[check].Applies
		if n := st.Checks[check].Unknown; n > 0 && !st.Harmless(check) {
			return fmt.Sprintf("could not be judged by %s in %d of %s", check, n, runs(st.Runs))
		}
	}
	if !judged {
		return "had nothing that a check could judge"
	}
	return ""
}

// Harmless reports whether a violation of the check does not count: the check finds no harm, and no
// expectation names it.
func (st StrategyStats) Harmless(check string) bool {
	named := st.Expects != nil && (slices.Contains(st.Expects.Holds, check) || slices.Contains(st.Expects.Violates, check))
	return checker.Advisory(check) && !named
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// Untested returns why the runs are no evidence for the checks that held; "" if they are. A lock
// under which the resource was corrupted was tested, even if little work was finished: a lock that
// grants nothing corrupts nothing.
func (st StrategyStats) Untested() string {
	if HarmOf(st.violated(), nil) == Corrupts {
		return ""
	}
	return st.Metrics.Untested()
}

// violated lists the violated checks in their order.
func (st StrategyStats) violated() []string {
	return slices.DeleteFunc(slices.Clone(st.Order), func(check string) bool { return st.Checks[check].Violating == 0 })
}
