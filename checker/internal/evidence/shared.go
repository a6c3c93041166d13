package evidence

import (
	"slices"

	"lockquake/history"
)

// shared is the mode of a grant that does not exclude other grants of that mode.
const shared = "shared"

// Shares reports whether a section asked for the lock in shared mode, or all its grants are shared
// ones.
func (in *Evidence) Shares(s *history.Section) bool {
	if s.Shared {
		return true
	}
	h := in.Holding(s)
	return h != nil && !slices.ContainsFunc(h.Grants, func(g *Grant) bool { return !g.shared })
}
