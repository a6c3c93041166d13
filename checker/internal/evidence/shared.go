package evidence

import (
	"slices"

	"lockquake/history"
)

// shared is the mode of a grant that does not exclude other grants of that mode.
const shared = "shared"

// Shares reports whether all grants of a section are shared ones.
func (in *Evidence) Shares(s *history.Section) bool {
	h := in.Holding(s)
	return h != nil && !slices.ContainsFunc(h.Grants, func(g *Grant) bool { return !g.shared })
}
