package checker

import (
	"slices"

	"lockquake/history"
)

// shared is the mode of a grant that does not exclude other grants of that mode.
const shared = "shared"

// shares reports whether all grants of a section are shared ones.
func (in *evidence) shares(s *history.Section) bool {
	h := in.holding(s)
	return h != nil && !slices.ContainsFunc(h.grants, func(g *grant) bool { return !g.shared })
}
