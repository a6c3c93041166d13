package checker

import (
	"cmp"
	"slices"
)

// Concern names the kind of harm that a check looks for.
type Concern string

// The concerns, the most serious first.
const (
	Corruption Concern = "corruption" // wrong data, or two sections at work on the data at once
	Fencing    Concern = "fencing"    // wrong tokens, or a resource that accepts or refuses the wrong ones
	Service    Concern = "service"    // the lock serves its users badly
	Belief     Concern = "belief"     // workers believe something wrong, whether or not it does harm
	Efficiency Concern = "efficiency" // the lock costs too much, or gives up a lease needlessly
)

// Check judges one property of a history.
type Check struct {
	Name string
	Doc  string // one line, for lockquake list
	// Did is the predicate of the sentence about a strategy that violates the check, such as "lost
	// updates". DidIn has other words for some workloads.
	Did   string
	DidIn map[string]string
	// Or and OrIn are the predicates of a second kind of violation, if there is one. Kinds returns how
	// often each kind happened.
	Or    string
	OrIn  map[string]string
	kinds func(m *Metrics) (did, or int64)
	// About is the harm that a violation does. It is the only place that says which checks mean
	// corruption.
	About Concern
	// Rank orders violations: 1 is the most serious. Within corruption, the check whose evidence is
	// easier to follow comes first. Checks may share a rank.
	Rank int
	// Workloads lists the workloads that the check can judge; nil means all.
	Workloads []string
	// OfHolders checks judge the holders of a lock. They have nothing to judge under a strategy that
	// takes no lock.
	OfHolders bool
	// OfGrants checks expect that each section has a grant of its own. They have nothing to judge
	// under a strategy whose owners keep their grants from section to section.
	OfGrants bool
	// TriesIn lists the workloads in which the check counts how often a unit of work begins. It has
	// nothing to judge there under a strategy that does not limit that.
	TriesIn []string
	// Unit describes one violation: the thing that Result.Count counts.
	Unit string
	// NoRate says why the number of violations does not grow in proportion to the length of a run,
	// so that a rate per hour or per acquisition would mean nothing. It is "" if the number does
	// grow in proportion.
	NoRate string
	// Advisory checks do not decide the outcome unless an expectation names them.
	Advisory bool
	run      func(*input, *Result)
}

// Subject has the facts about a strategy and its work that decide whether a check can judge them.
type Subject struct {
	Workload string
	LockFree bool // the strategy takes no lock
	Keeps    bool // its owners keep their grants from section to section
	Tries    int  // how often it lets a unit of work begin, 0 for no limit
}

// Judges reports whether the check, which applies to the workload, has something to judge in runs of the subject.
func (c Check) Judges(of Subject) bool {
	return (!c.OfHolders || !of.LockFree) && (!c.OfGrants || !of.Keeps) && (!c.OfTries(of.Workload) || of.Tries > 0)
}

// Predicate returns what a strategy that violates the check did in the runs that m measures, in the words
// of a workload.
func (c Check) Predicate(workload string, m *Metrics) string {
	did, or := cmp.Or(c.DidIn[workload], c.Did), cmp.Or(c.OrIn[workload], c.Or)
	if c.kinds == nil {
		return did
	}
	switch first, second := c.kinds(m); {
	case second == 0 && first > 0:
		return did
	case first == 0 && second > 0:
		return or
	}
	return did + " or " + or
}

// OfTries reports whether the check judges only how often a unit of work begins, in runs of the workload.
func (c Check) OfTries(workload string) bool { return slices.Contains(c.TriesIn, workload) }

// AppliesTo reports whether the check can judge runs of the workload.
func (c Check) AppliesTo(workload string) bool {
	return c.Workloads == nil || slices.Contains(c.Workloads, workload)
}
