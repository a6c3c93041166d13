package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lockquake/history"
)

// holding is what a section was let in with: the grants that servers had given
// to one owner before it entered, and how many of them make the lock its. With
// one server that is one of one. Of several servers, what counts at any moment is
// how many hold the lock for the owner then.
type holding struct {
	section *history.Section
	grants  []*grant
	// refills are the grants that servers gave to the same owner later, as to a lock
	// that sees to it that a server knows of it which has lost its data.
	refills []*grant
	quorum  int
}

// few is room for what there is one of for each lock server.
const few = 8

// quorum is how many servers have to hold a grant for the lock to be held. Where
// the locks are shared out among the servers, it is the one that has the lock.
func (in *input) quorum() int {
	if in.needed == 0 {
		in.needed = max(in.Meta.Quorum, 1)
		if in.needed > 1 && in.shared() {
			in.needed = 1
		}
	}
	return in.needed
}

// shared reports whether several servers answered who asked for a lock, and no
// lock was ever asked of two of them.
func (in *input) shared() bool {
	first := map[string]string{} // by key: the server that answered first
	nodes := map[string]bool{}
	for i := range in.Events {
		e := &in.Events[i]
		if e.Type != history.Granted && e.Type != history.Refused {
			continue
		}
		if node, ok := first[e.Key]; ok && node != e.Node {
			return false
		}
		first[e.Key], nodes[e.Node] = e.Node, true
	}
	return len(nodes) > 1
}

// holding returns nil if no server spoke of the section's grant. Of several
// servers, an answer that is late may be of an earlier attempt: what counts is
// the owner that most of them held the lock for.
func (in *input) holding(s *history.Section) *holding {
	if s.Grant == 0 || in.Meta.Unread != "" {
		return nil
	}
	book := in.ledger()
	w := book.attempt(s)
	h := &w.got
	if h.section != nil {
		return h
	}
	h.section, h.quorum = s, in.quorum()
	if h.quorum > 1 {
		byOwner := map[string][]*grant{}
		for _, g := range w.grants {
			if g.given.Seq > s.Enter || !g.held(s.Enter) {
				continue
			}
			same := append(byOwner[g.given.Owner], g)
			byOwner[g.given.Owner] = same
			if len(same) > len(h.grants) {
				h.grants = same
			}
		}
	}
	if len(h.grants) == 0 { // one server, or it was let in with what was gone already
		h.grants = book.givenAt(s.Grant)
	}
	if h.quorum > 1 {
		for _, g := range w.grants {
			if g.given.Seq > s.Enter && g.given.Owner == h.owner() && !g.revived {
				h.refills = append(h.refills, g)
			}
		}
	}
	return h
}

// all calls yield with each grant of the holding.
func (h *holding) all(yield func(*grant) bool) {
	for _, grants := range [][]*grant{h.grants, h.refills} {
		for _, g := range grants {
			if !yield(g) {
				return
			}
		}
	}
}

// with reports whether the section had the grant.
func (h *holding) with(g *grant) bool {
	return h != nil && (slices.Contains(h.grants, g) || slices.Contains(h.refills, g))
}

// owner is the value that the section was let in under.
func (h *holding) owner() string {
	if h == nil {
		return ""
	}
	return h.grants[0].given.Owner
}

// held reports whether enough servers held the lock for the section just after
// event seq.
func (h *holding) held(seq int64) bool {
	n := 0
	for g := range h.all {
		if g.given.Seq <= max(seq, h.section.Enter) && g.held(seq) {
			n++
		}
	}
	return n >= h.quorum
}

// loss returns the event with which fewer servers than a quorum held the lock,
// nil if that never happened. Of grants that were never enough it is the last
// one to be given.
func (h *holding) loss() *history.Event {
	held := len(h.grants)
	if held < h.quorum {
		return h.grants[len(h.grants)-1].given
	}
	type change struct {
		event *history.Event
		by    int
	}
	changes := make([]change, 0, few)
	for _, g := range h.refills {
		changes = append(changes, change{g.given, 1})
	}
	for g := range h.all {
		if g.ended != nil {
			changes = append(changes, change{g.ended, -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.event.Seq, b.event.Seq), b.by-a.by) })
	for _, c := range changes {
		if held += c.by; held < h.quorum {
			return c.event
		}
	}
	return nil
}

// servers lists the last grant of each server.
func (h *holding) servers() []*grant {
	list := slices.Clone(h.grants)
	for _, g := range h.refills {
		if i := slices.IndexFunc(list, func(other *grant) bool { return other.node == g.node }); i >= 0 {
			list[i] = g
		} else {
			list = append(list, g)
		}
	}
	return list
}

// givenBack reports whether the section's own release freed its grants on enough
// servers for the lock to be free by event seq.
func (h *holding) givenBack(seq int64) bool {
	n, servers := 0, h.grants
	if h.refills != nil {
		servers = h.servers()
	}
	for _, g := range servers {
		if g.givenBack() && g.ended.Seq < seq {
			n++
		}
	}
	return n > len(servers)-h.quorum
}

// until returns when the servers would let the lock go by themselves, or never.
func (h *holding) until() time.Duration {
	servers := h.grants
	if h.refills != nil {
		servers = h.servers()
	}
	ends := make([]time.Duration, 0, few)
	for _, g := range servers {
		if u := g.until(); u != 0 {
			ends = append(ends, u)
		}
	}
	spare := max(len(servers)-h.quorum, 0)
	if spare >= len(ends) {
		return math.MaxInt64
	}
	slices.Sort(ends)
	return ends[spare]
}

// asked is a time before which the section certainly did not begin to ask for
// what it got.
func (h *holding) asked() time.Duration {
	// Of several servers one may refuse what others grant in the same attempt.
	if h.quorum > 1 {
		return h.section.CallAt
	}
	return h.grants[0].asked
}

// lease returns the shortest time for which a server gave or renewed a grant,
// 0 if none has an end.
func (h *holding) lease() time.Duration {
	var shortest time.Duration
	for _, g := range h.grants {
		if d, _ := g.leases(); d != 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

// lossOf returns when a section that had been let in lost its lock. The event
// is forever if that never happened, or if no server spoke of its grant.
func (in *input) lossOf(s *history.Section) (event int64, at time.Duration) {
	h := in.holding(s)
	if h == nil {
		return forever, 0
	}
	e := h.loss()
	if e == nil {
		return forever, 0
	}
	return max(e.Seq, s.Enter), max(e.At, s.EnterAt)
}
