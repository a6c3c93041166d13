package tables

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/checker"
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
	replay          string        // token of the first run of that use that violates check

	decided  int     // runs of each use without a failure
	finished float64 // share of the work
}

// hit returns the uses of a strategy, without those of cases of which no fault hit it.
func hit(c *results.Campaign, label string) []results.StrategyStats {
	cases := HasCases(c)
	return slices.DeleteFunc(slices.Clone(c.Strategies), func(st results.StrategyStats) bool {
		return st.Use() != label || cases && st.Hit == 0 && len(harmful(st)) == 0
	})
}

// accountOf sums up uses of a strategy.
func accountOf(c *results.Campaign, label string, uses []results.StrategyStats) account {
	a := account{label: label, name: label, grade: Held}
	var jobs, finished int64
	var failing []results.StrategyStats
	for _, st := range uses {
		a.name = subject(label, st.Name)
		if !HasCases(c) {
			a.name += under(st)
		}
		jobs, finished = jobs+st.Metrics.Jobs, finished+st.Metrics.Finished
		if len(harmful(st)) > 0 {
			failing = append(failing, st)
		} else if why := st.Inconclusive(); why != "" {
			a.grade, a.why = Open, cmp.Or(a.why, why+under(st))
		}
		if a.cases++; a.cases == 1 || st.Runs < a.decided {
			a.decided = st.Runs
		}
		a.note = cmp.Or(a.note, noteOn(c, st))
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
	a.violating, a.runs, a.replay = worst.Checks[all[0]].Violating, worst.Runs, worst.Checks[all[0]].Replay
	if !HasCases(c) {
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
	add := func(name string, within func(st results.StrategyStats) bool) {
		if slices.ContainsFunc(uses, func(st results.StrategyStats) bool { return within(st) && st.Checks[check].Violating > 0 }) {
			names = append(names, name)
		}
	}
	for _, class := range append(results.FaultClasses(), results.FaultClass{Name: "other faults"}) {
		add(class.Name, func(st results.StrategyStats) bool { return st.Class == class.Letter && st.Case != results.NoFault })
	}
	add("no fault", func(st results.StrategyStats) bool { return st.Case == results.NoFault })
	return names
}

func shareOf(st results.StrategyStats, check string) float64 {
	return float64(st.Checks[check].Violating) / float64(max(1, st.Runs))
}

// harmful lists the checks that a use violated and that find harm, the most serious first.
func harmful(st results.StrategyStats) []string {
	return slices.DeleteFunc(checker.Serious(st.Order), func(check string) bool {
		return checker.Advisory(check) || st.Checks[check].Violating == 0
	})
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
