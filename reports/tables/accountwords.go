package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// kind returns what strategies that share a sentence have in common. If there are few strategies, it
// includes their rates.
func (a account) kind(few bool) string {
	if a.classes == nil && few {
		return a.failure()
	}
	return fmt.Sprint(a.did, a.classes, a.more)
}

// failure returns what a strategy did and how often.
func (a account) failure() string {
	if a.classes != nil {
		return fmt.Sprintf("%s under %s (up to %s)%s", a.did, listed(a.classes), countOf(a.violating, a.runs), a.more)
	}
	low, high := stats.Wilson(a.violating, a.runs)
	return fmt.Sprintf("%s in %s (%s)%s", a.did, often(a.violating, a.runs), shares(low, high), a.more)
}

// often prints a number of runs.
func often(n, runs int) string {
	switch {
	case n == runs && runs == 1:
		return "the only run"
	case n == runs && runs == 2:
		return "both runs"
	case n == runs:
		return "all " + words.Counted(runs, "run")
	}
	return countOf(n, runs)
}

// countOf prints a number of runs: as a share, if there are enough.
func countOf(n, runs int) string {
	const few = 100
	if runs < few {
		return fmt.Sprintf("%d of %s", n, words.Counted(runs, "run"))
	}
	return words.RoughPercent(float64(n)/float64(runs)) + " % of runs"
}

// shares prints a range of shares.
func shares(low, high float64) string {
	from, to := words.RoughPercent(low), words.RoughPercent(high)
	if from == to {
		return to + " %"
	}
	return fmt.Sprintf("%s to %s %%", from, to)
}

// subject names a strategy in a sentence. The name of the strategy none would turn its meaning round.
func subject(label, name string) string {
	if label == "none" {
		return "work without a lock"
	}
	return words.Labelled(label, name)
}

// mostNames is the number of strategies that a sentence names.
const mostNames = 4

// namesOf names the strategies of a group: all, or how many there are and the first ones.
func namesOf(group []account) string {
	var names []string
	for _, a := range group {
		names = append(names, a.name)
	}
	if n := len(names); n > mostNames {
		return fmt.Sprintf("%d strategies (%s and %d more)", n, strings.Join(names[:mostNames], ", "), n-mostNames)
	}
	return listed(names)
}

// listed joins words as a sentence does.
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func usesOf(group []account) []string {
	var labels []string
	for _, a := range group {
		labels = append(labels, a.label)
	}
	return labels
}

// under names the case of a use, "" if it has none.
func under(st results.StrategyStats) string {
	if st.Case == "" {
		return ""
	}
	return " under " + words.Plain(st.Case, 60)
}

// moreOften returns what a use did clearly more often than what its most serious check found, "" if
// nothing.
func moreOften(c *results.Campaign, st results.StrategyStats, checks []string) string {
	most := slices.MaxFunc(checks, func(a, b string) int { return cmp.Compare(st.Checks[a].Violating, st.Checks[b].Violating) })
	n := st.Checks[most].Violating
	if _, high := stats.Wilson(st.Checks[checks[0]].Violating, st.Runs); float64(n) <= high*float64(st.Runs) {
		return ""
	}
	check, _ := checker.Lookup(most)
	return fmt.Sprintf(", and %s in %s", predicate(c, check, st), often(n, st.Runs))
}

// noteOn says what a use did without harm, if the scenario has an expectation about it.
func noteOn(c *results.Campaign, st results.StrategyStats) string {
	if st.Expects == nil {
		return ""
	}
	for _, check := range checker.Serious(slices.Concat(st.Expects.Holds, st.Expects.Violates)) {
		if n := st.Checks[check].Violating; n > 0 {
			known, _ := checker.Lookup(check)
			return fmt.Sprintf("; without harm it %s in %s", predicate(c, known, st), often(n, st.Runs)+under(st))
		}
	}
	return ""
}
