package checker

import (
	"slices"

	"lockquake/history"
)

// shared is the mode of a grant beside which there may be others.
const shared = "shared"

// shares reports whether a section was let in with grants that others may have
// at the same time.
func (in *input) shares(s *history.Section) bool {
	h := in.holding(s)
	return h != nil && !slices.ContainsFunc(h.grants, func(g *grant) bool { return !g.shared })
}
