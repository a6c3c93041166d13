package campaign

import (
	"cmp"
	"slices"
)

// A campaign keeps the first violation of each check by each use whole: its history
// and its plan. A scenario with cases has hundreds of uses whose failures resemble each
// other. There the first violation of each check under each class of faults is kept
// whole, and of the others only what repeats them.

// showcase is what one whole failure is kept for, in a scenario with cases.
type showcase struct {
	check string
	class string // of faults, or the case if it belongs to no class
}

// showcaseOf returns what a violation by a use would be kept whole for.
func (c *campaign) showcaseOf(use int, check string) showcase {
	u := c.uses[use]
	return showcase{check, cmp.Or(c.scenario.ClassOf(u.Case), u.Case)}
}

// claimWhole notes that a use violates a check, and reports whether that violation is
// kept whole. If it takes the place of another use's, that one's trial is let go.
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
		c.first[kept][check].trial = nil
	}
	c.whole[of] = use
	return true
}

// before reports whether a violation by a use is kept rather than one by another: one
// that nobody expected first, and else in the order of the scenario.
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

// complete reports whether no violation that is kept whole lacks its trial.
func (c *campaign) complete() bool {
	for use := range c.first {
		for check, first := range c.first[use] {
			if first.trial == nil && c.keepsWhole(use, check) {
				return false
			}
		}
	}
	return true
}
