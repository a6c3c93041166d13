package campaign

import (
	"cmp"
	"slices"

	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// A campaign keeps the first violation of each check by each use whole: its history and its plan. A
// scenario with cases has hundreds of uses whose failures resemble each other. There the first
// violation of each check under each class of faults is kept whole. The others keep only their
// replay tokens. Of a large run only the part that shows the violation is kept, see Trial.About.

// violation is a run that violates a check. Its trial is nil if the run is not kept whole, or while
// the run is known only from a journal.
type violation struct {
	seed     uint64
	checksum string
	trial    *results.Trial
	unseen   bool // the run is too large to keep what shows the violation
}

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

// violates notes that a run violates a check, and reports whether its trial is kept whole.
func (c *campaign) violates(use int, check string, seed uint64, checksum string, t *results.Trial) bool {
	if first := c.failures[use][check]; first != nil && first.seed <= seed {
		return false
	}
	v := &violation{seed: seed, checksum: checksum}
	c.failures[use][check] = v
	if t != nil && t.About(check) == nil { // it has nothing to show, so another use may
		v.unseen = true
		return false
	}
	if !c.claimWhole(use, check) {
		return false
	}
	return v.show(t, check)
}

// show keeps the part of a run that shows the violation, and reports whether there is one. A journal has
// no trial, so t may be nil: then the run is executed again.
func (v *violation) show(t *results.Trial, check string) bool {
	if t == nil {
		return false
	}
	v.trial = t.About(check)
	v.unseen = v.trial == nil
	return !v.unseen
}

// fill adds the trial of a run that was known only from the journal.
func (c *campaign) fill(use int, t *results.Trial) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	owned := false
	for check, first := range c.failures[use] { // the order has no effect
		switch {
		case first.seed != t.Seed || first.trial != nil || first.unseen || !c.keepsWhole(use, check):
			continue
		case first.checksum != t.Checksum:
			return &run.RepeatError{Label: t.Label, Seed: t.Seed, Now: t.Checksum, Then: first.checksum}
		case !owned:
			run.OwnEvents(t)
			owned = true
		}
		first.show(t, check)
	}
	return nil
}
