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

// account holds what the sentence about one strategy needs. A campaign with cases has a use of the
// strategy for each case, and the account is about all of them.
type account struct {
	label, name string
	grade       Grade
	cases       int // that hit the strategy; 1 if the campaign has no cases
	why         string
	note        string // what it did without harm, if the scenario asks for it

	// Of a failure: the most serious violated check, in the use in which it was violated most often.
	check           checker.Check
	did             string // its predicate
	violating, runs int
	place           string // the case, as " under pauses"; "" if there are no cases
	more            string // another check that was violated more often
	failing         int    // number of cases with a failure

	decided  int     // runs of each case that are known to have no failure
	finished float64 // share of the work
}

// accountOf sums up the uses of a strategy.
func accountOf(c *results.Campaign, label string) account {
	a := account{label: label, name: label, grade: Held, decided: -1}
	var jobs, finished int64
	for _, st := range c.Strategies {
		if st.Use() != label || st.Case != "" && st.Bit == 0 && HasCases(c) && len(harmful(st)) == 0 {
			continue // of another strategy, or no fault of the case hit it
		}
		a.name = subject(label, st.Name)
		a.cases++
		jobs, finished = jobs+st.Metrics.Jobs, finished+st.Metrics.Finished
		a.add(c, st)
	}
	if jobs > 0 {
		a.finished = float64(finished) / float64(jobs)
	}
	if a.cases == 0 {
		a.grade, a.why = Open, "was hit by no fault of any case"
	}
	return a
}

// add adds one use of the strategy.
func (a *account) add(c *results.Campaign, st results.StrategyStats) {
	if checks := harmful(st); len(checks) > 0 {
		a.failing++
		next := account{label: a.label, name: a.name, grade: Failed, cases: a.cases, failing: a.failing}
		next.check, _ = checker.Lookup(checks[0])
		next.did = next.check.Predicate(c.Workload)
		next.violating, next.runs = st.Checks[checks[0]].Violating, st.Runs
		next.place, next.more = under(st), moreOften(c, st, checks)
		if a.grade != Failed || worseFirst(next, *a) < 0 {
			*a = next
		}
		a.failing = next.failing
		return
	}
	if a.grade == Failed {
		return
	}
	if why := doubt(st); why != "" {
		a.grade, a.why = Open, cmp.Or(a.why, why+under(st))
		return
	}
	if a.decided < 0 || st.Runs < a.decided {
		a.decided = st.Runs
	}
	a.note = cmp.Or(a.note, harmless(c, st))
}

// under names the case of a use, "" if it has none.
func under(st results.StrategyStats) string {
	if st.Case == "" {
		return ""
	}
	return " under " + words.Plain(st.Case, 60)
}

// harmful lists the checks that a use violated and that find harm, the most serious first.
func harmful(st results.StrategyStats) []string {
	return slices.DeleteFunc(checker.Serious(st.Order), func(check string) bool {
		return checker.Advisory(check) || st.Checks[check].Violating == 0
	})
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
	return fmt.Sprintf(", and %s in %s", check.Predicate(c.Workload), often(n, st.Runs))
}

// doubt returns why the runs of a use without a failure tell nothing or too little, "" if they do.
func doubt(st results.StrategyStats) string {
	if st.Runs == 0 {
		return "has no finished run"
	}
	if why := st.Metrics.Untested(); why != "" {
		return why
	}
	judged := false
	for _, check := range st.Order {
		judged = judged || st.Checks[check].Applies
		if n := st.Checks[check].Unknown; n > 0 && !checker.Advisory(check) {
			why := fmt.Sprintf("could not be judged by %s in %s of %s", check, words.Thousands(n), words.Counted(st.Runs, "run"))
			if n < st.Runs {
				why += "; no other run failed"
			}
			return why
		}
	}
	if !judged {
		return "had nothing that a check could judge"
	}
	return ""
}

// harmless returns what a use did without harm and the scenario has an expectation about.
func harmless(c *results.Campaign, st results.StrategyStats) string {
	if st.Expects == nil {
		return ""
	}
	for _, check := range checker.Serious(slices.Concat(st.Expects.Holds, st.Expects.Violates)) {
		if n := st.Checks[check].Violating; n > 0 {
			known, _ := checker.Lookup(check)
			return fmt.Sprintf("; without harm it %s in %s", known.Predicate(c.Workload), often(n, st.Runs)+under(st))
		}
	}
	return ""
}

// worseFirst orders accounts of failures: by the harm of their checks, and then by how often.
func worseFirst(a, b account) int {
	return cmp.Or(
		cmp.Compare(slices.Index(concerns(), a.check.About), slices.Index(concerns(), b.check.About)),
		cmp.Compare(b.share(), a.share()),
	)
}

// concerns lists the kinds of harm, the worst first.
func concerns() []checker.Concern {
	return []checker.Concern{checker.Corruption, checker.Fencing, checker.Service, checker.Efficiency, checker.Belief}
}

func (a account) share() float64 { return float64(a.violating) / float64(max(1, a.runs)) }

// failure returns what a strategy did and how often.
func (a account) failure() string {
	low, high := stats.Wilson(a.violating, a.runs)
	text := fmt.Sprintf("%s in %s%s (%s)%s", a.did, often(a.violating, a.runs), a.place, shares(low, high), a.more)
	if a.cases > 1 {
		text += fmt.Sprintf("; it failed in %d of %d cases", a.failing, a.cases)
	}
	return text
}

// ofWorst says that a share is that of the worst case.
func (a account) ofWorst() string {
	if a.place == "" {
		return ""
	}
	return " in the worst case"
}

// often prints a number of runs: as a share, if there are enough.
func often(n, runs int) string {
	const few = 100
	switch {
	case n == runs && runs == 1:
		return "the only run"
	case n == runs:
		return "all " + words.Counted(runs, "run")
	case runs < few:
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
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > mostNames:
		return fmt.Sprintf("%d strategies (%s and %d more)", n, strings.Join(names[:mostNames], ", "), n-mostNames)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func usesOf(group []account) []string {
	var labels []string
	for _, a := range group {
		labels = append(labels, a.label)
	}
	return labels
}
