package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lockquake/history"
)

// holding is the set of grants with which a section was let in: those that servers had given to one
// owner before it entered. A quorum of them makes the lock its own; with one server that is one
// grant. With several servers, the lock is held as long as a quorum of them hold it for the owner.
type holding struct {
	section *history.Section
	grants  []*grant
	// refills are grants that servers gave to the same owner later. A strategy may ask a server
	// again that has lost its data.
	refills []*grant
	quorum  int
}

// few is the initial capacity of lists with one element for each lock server.
const few = 8

// quorum returns how many servers have to hold a grant for the lock to be held. If each lock is on
// one server of several, it is 1.
func (in *evidence) quorum() int {
	if in.needed == 0 {
		in.needed = max(in.Meta.Quorum, 1)
		if in.needed > 1 && in.sharded() {
			in.needed = 1
		}
	}
	return in.needed
}

// sharded reports whether several servers answered requests for locks, and each lock was asked of
// one of them only.
func (in *evidence) sharded() bool {
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

// holding returns the grants with which s was let in, nil if no server recorded one. With several
// servers, a late answer may belong to an earlier attempt, so the owner with the most grants
// counts.
func (in *evidence) holding(s *history.Section) *holding {
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
	if len(h.grants) == 0 { // one server, or the grants had ended before it was let in
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

// all yields each grant of the holding.
func (h *holding) all(yield func(*grant) bool) {
	for _, grants := range [][]*grant{h.grants, h.refills} {
		for _, g := range grants {
			if !yield(g) {
				return
			}
		}
	}
}

// with reports whether the holding includes the grant.
func (h *holding) with(g *grant) bool {
	return h != nil && (slices.Contains(h.grants, g) || slices.Contains(h.refills, g))
}

// owner returns the owner name of the grants, "" if h is nil.
func (h *holding) owner() string {
	if h == nil {
		return ""
	}
	return h.grants[0].given.Owner
}

// held reports whether a quorum of servers held the lock for the section just after event seq.
func (h *holding) held(seq int64) bool {
	n := 0
	for g := range h.all {
		if g.given.Seq <= max(seq, h.section.Enter) && g.held(seq) {
			n++
		}
	}
	return n >= h.quorum
}

// loss returns the event after which fewer servers than a quorum held the lock, nil if that never
// happened. If there never was a quorum it is the event of the last grant.
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

// servers returns the last grant of each server.
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

// givenBack reports whether by event seq the section's own release had freed its grants on enough
// servers for the lock to be free.
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

// until returns when the lock expires on enough servers for it to be free, the maximum duration if
// never.
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

// asked returns a lower bound of the time at which the section began to ask for the lock.
func (h *holding) asked() time.Duration {
	// With several servers, one may refuse what others grant in the same attempt.
	if h.quorum > 1 {
		return h.section.CallAt
	}
	return h.grants[0].asked
}

// lease returns the shortest lease of the grants and their renewals, 0 if none expires.
func (h *holding) lease() time.Duration {
	var shortest time.Duration
	for _, g := range h.grants {
		if d, _ := g.leases(); d != 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

// lossOf returns when a section that had been let in lost its lock. The event is forever if that
// never happened or no server recorded its grant.
func (in *evidence) lossOf(s *history.Section) (event int64, at time.Duration) {
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
