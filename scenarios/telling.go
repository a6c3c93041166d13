package scenarios

import (
	"cmp"
	"slices"

	"lockquake/checker"
)

// Serious lists checks from the most serious to the least: corruption of the
// resource before tokens, tokens before flaws of the service, and advisory checks last.
// Of those that weigh the same the one whose evidence is easier to follow comes
// first, or else the one that comes first in checks.
func Serious(checks []string) []string {
	order := []string{"lost-update", "once", "exclusion", "linearizable", "fencing"}
	rank := func(check string) int {
		switch i := slices.Index(order, check); {
		case i >= 0:
			return i
		case checker.Advisory(check):
			return len(order) + 1
		}
		return len(order)
	}
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return checks
}

// mostTelling returns the most serious of the violated checks that decide for a
// label, "" if there is none.
func mostTelling(s *Scenario, label string, results []checker.Result) string {
	for _, check := range Serious(verdictsOf(results, checker.Invalid)) {
		if decides(s, label, check) {
			return check
		}
	}
	return ""
}
