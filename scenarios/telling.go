package scenarios

import (
	"cmp"
	"slices"

	"lockquake/checker"
)

// Serious lists checks by the rank that the catalogue gives them, the most serious
// first. Of those that weigh the same the one that comes first in checks comes first.
func Serious(checks []string) []string {
	rank := func(name string) int {
		c, _ := checker.Lookup(name)
		return c.Rank
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
