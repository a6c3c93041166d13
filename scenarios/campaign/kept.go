package campaign

import (
	"cmp"
	"slices"
)

// A campaign keeps the first violation of each check by each use whole: its history and its plan. A
// scenario with cases has hundreds of uses whose failures resemble each other. There the first
// violation of each check under each class of faults is kept whole. The others keep only their
// replay tokens. Of a large run only the part that shows the violation is kept, see Trial.About.

// showcase identifies a check and a class of faults for which one failure is kept whole, in a
// scenario with cases.
type showcase struct {
	check string
	class string // of faults, or the case if it belongs to no class
}

// showcaseOf returns the showcase of a violation of a check by a use.
func (c *campaign) showcaseOf(use int, check string) showcase {
	u := c.uses[use]
	return showcase{check, cmp.Or(c.scenario.ClassOf(u.Case), u.Case)}
}

// claimWhole notes that a use violates a check, and reports whether that violation is kept whole.
// If it replaces that of another use, the trial of the other is dropped.
func (c *campaign) claimWhole(use int, check string) bool {
	if c.uses[use].Case == "" {
		return true
	}
	of := c.showcaseOf(use, check)
	kept, taken := c.whole[of]
	switch {
	case !taken:
	case kept == use:
		return true
	case !c.before(use, kept, check):
		return false
	default:
		c.failures[kept][check].trial = nil
	}
	c.whole[of] = use
	return true
}

// before reports whether a violation by one use is kept rather than one by another: unexpected
// violations come first, then the order of the scenario decides.
func (c *campaign) before(use, other int, check string) bool {
	expected := func(use int) int {
		if e, ok := c.scenario.ExpectOf(c.uses[use]); ok && slices.Contains(e.Holds, check) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(expected(use), expected(other)), cmp.Compare(use, other)) < 0
}

// keepsWhole reports whether the first violation of a check by a use is kept whole.
func (c *campaign) keepsWhole(use int, check string) bool {
	if c.uses[use].Case == "" {
		return true
	}
	kept, ok := c.whole[c.showcaseOf(use, check)]
	return ok && kept == use
}

// complete reports whether all violations that are kept whole have their trials.
func (c *campaign) complete() bool {
	for use := range c.failures {
		for check, first := range c.failures[use] {
			if first.trial == nil && !first.unseen && c.keepsWhole(use, check) {
				return false
			}
		}
	}
	return true
}
