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

// account sums up one strategy for its sentence. In a campaign with cases it covers the uses of the strategy
// under all cases.
type account struct {
	label, name string
	grade       Grade
	cases       int    // that hit the strategy; 1 if the campaign has no cases
	why         string // grade Open: why the result is unknown
	note        string // what it did without harm, if the scenario asks for it

	// Of a failure.
	check           checker.Check // the most serious violated one
	did             string        // its predicate
	violating, runs int           // of the use in which it was violated most often
	classes         []string      // of the faults under which it was violated, if there are cases
	more            string        // another failure

	decided  int     // runs of each use without a failure
	finished float64 // share of the work
}

// hit returns the uses of a strategy, without those of cases of which no fault hit it.
func hit(c *results.Campaign, label string) []results.StrategyStats {
	return slices.DeleteFunc(slices.Clone(c.Strategies), func(st results.StrategyStats) bool {
		return st.Use() != label || st.Case != "" && st.Bit == 0 && len(harmful(st)) == 0
	})
}

// accountOf sums up uses of a strategy.
func accountOf(c *results.Campaign, label string, uses []results.StrategyStats) account {
	a := account{label: label, name: label, grade: Held}
	var jobs, finished int64
	var failing []results.StrategyStats
	for _, st := range uses {
		a.name = subject(label, st.Name)
		jobs, finished = jobs+st.Metrics.Jobs, finished+st.Metrics.Finished
		if len(harmful(st)) > 0 {
			failing = append(failing, st)
		} else if why := doubt(st); why != "" {
			a.grade, a.why = Open, cmp.Or(a.why, why+under(st))
		}
		if a.cases++; a.cases == 1 || st.Runs < a.decided {
			a.decided = st.Runs
		}
		a.note = cmp.Or(a.note, harmless(c, st))
	}
	if jobs > 0 {
		a.finished = float64(finished) / float64(jobs)
	}
	if a.cases == 0 {
		a.grade, a.why = Open, "was hit by no fault of any case"
	}
	if len(failing) > 0 {
		a.fail(c, failing)
	}
	return a
}

// fail adds the failures of the uses that failed.
func (a *account) fail(c *results.Campaign, failing []results.StrategyStats) {
	var all []string
	for _, st := range failing {
		all = append(all, harmful(st)...)
	}
	all = checker.Serious(all)
	a.check, _ = checker.Lookup(all[0])
	a.did, a.grade = predicate(c, a.check, failing...), Flawed
	if a.check.About == checker.Corruption {
		a.grade = Failed
	}
	worst := slices.MaxFunc(failing, func(x, y results.StrategyStats) int { return cmp.Compare(shareOf(x, all[0]), shareOf(y, all[0])) })
	a.violating, a.runs = worst.Checks[all[0]].Violating, worst.Runs
	if worst.Case == "" {
		a.more = moreOften(c, worst, all)
		return
	}
	a.classes = classesOf(failing, all[0])
	for _, next := range all {
		known, _ := checker.Lookup(next)
		others := slices.DeleteFunc(classesOf(failing, next), func(class string) bool { return slices.Contains(a.classes, class) })
		if len(others) > 0 && known.About == a.check.About {
			a.more = fmt.Sprintf(", and %s under %s", predicate(c, known, failing...), listed(others))
			return
		}
	}
}

// predicate returns what uses that violate a check did in their runs together.
func predicate(c *results.Campaign, check checker.Check, uses ...results.StrategyStats) string {
	var m checker.Metrics
	for _, st := range uses {
		m.Add(&st.Metrics)
	}
	return check.Predicate(c.Workload, &m)
}

// classesOf lists the classes of faults under which a check was violated, in the order of the catalogue.
func classesOf(uses []results.StrategyStats, check string) []string {
	var names []string
	for _, class := range append(results.FaultClasses(), results.FaultClass{Name: "other faults"}) {
		if slices.ContainsFunc(uses, func(st results.StrategyStats) bool {
			return st.Class == class.Letter && st.Checks[check].Violating > 0
		}) {
			names = append(names, class.Name)
		}
	}
	return names
}

func shareOf(st results.StrategyStats, check string) float64 {
	return float64(st.Checks[check].Violating) / float64(max(1, st.Runs))
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
	return fmt.Sprintf(", and %s in %s", predicate(c, check, st), often(n, st.Runs))
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
			return fmt.Sprintf("; without harm it %s in %s", predicate(c, known, st), often(n, st.Runs)+under(st))
		}
	}
	return ""
}

// worseFirst orders accounts of failures: by the harm of their checks, the number of classes of faults,
// and then by how often.
func worseFirst(a, b account) int {
	return cmp.Or(
		cmp.Compare(slices.Index(concerns(), a.check.About), slices.Index(concerns(), b.check.About)),
		cmp.Compare(len(b.classes), len(a.classes)),
		cmp.Compare(b.share(), a.share()),
	)
}

// concerns lists the kinds of harm, the worst first.
func concerns() []checker.Concern {
	return []checker.Concern{checker.Corruption, checker.Fencing, checker.Service, checker.Efficiency, checker.Belief}
}

func (a account) share() float64 { return float64(a.violating) / float64(max(1, a.runs)) }

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
