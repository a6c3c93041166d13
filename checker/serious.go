package checker

import (
	"cmp"
	"slices"
)

// Serious lists checks by the rank that the catalogue gives them, the most serious
// first. Checks of the same rank keep their order.
func Serious(checks []string) []string {
	rank := func(name string) int {
		c, _ := Lookup(name)
		return c.Rank
	}
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return checks
}
