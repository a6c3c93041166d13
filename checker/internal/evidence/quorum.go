package evidence

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lockquake/history"
)

// Holding is the set of grants with which a section was let in: those that servers had given to one
// owner before it entered. A quorum of them makes the lock its own; with one server that is one
// grant. With several servers, the lock is held as long as a quorum of them hold it for the owner.
type Holding struct {
	section *history.Section
	Grants  []*Grant
	// refills are grants that servers gave to the same owner later. A strategy may ask a server
	// again that has lost its data.
	refills []*Grant
	Quorum  int
}

// few is the initial capacity of lists with one element for each lock server.
const few = 8

// Quorum returns how many servers have to hold a grant for the lock to be held. If each lock is on
// one server of several, it is 1.
func (in *Evidence) Quorum() int {
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
func (in *Evidence) sharded() bool {
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

// Holding returns the grants with which s was let in, nil if no server recorded one for it alone. With
// several servers, a late answer may belong to an earlier attempt, so the owner with the most grants
// counts.
func (in *Evidence) Holding(s *history.Section) *Holding {
	if s.Grant == 0 || in.Meta.Unread != "" || in.Meta.Keeps {
		return nil
	}
	book := in.Ledger()
	w := book.Attempt(s)
	h := &w.got
	if h.section != nil {
		return h
	}
	h.section, h.Quorum = s, in.Quorum()
	if h.Quorum > 1 {
		byOwner := map[string][]*Grant{}
		for _, g := range w.Grants {
			if g.Given.Seq > s.Enter || !g.Held(s.Enter) {
				continue
			}
			same := append(byOwner[g.Given.Owner], g)
			byOwner[g.Given.Owner] = same
			if len(same) > len(h.Grants) {
				h.Grants = same
			}
		}
	}
	if len(h.Grants) == 0 { // one server, or the grants had ended before it was let in
		h.Grants = book.givenAt(s.Grant)
	}
	if h.Quorum > 1 {
		for _, g := range w.Grants {
			if g.Given.Seq > s.Enter && g.Given.Owner == h.Owner() && !g.Revived {
				h.refills = append(h.refills, g)
			}
		}
	}
	return h
}

// all yields each grant of the holding.
func (h *Holding) all(yield func(*Grant) bool) {
	for _, grants := range [][]*Grant{h.Grants, h.refills} {
		for _, g := range grants {
			if !yield(g) {
				return
			}
		}
	}
}

// Includes reports whether the holding includes the grant.
func (h *Holding) Includes(g *Grant) bool {
	return h != nil && (slices.Contains(h.Grants, g) || slices.Contains(h.refills, g))
}

// Owner returns the owner name of the grants, "" if h is nil.
func (h *Holding) Owner() string {
	if h == nil {
		return ""
	}
	return h.Grants[0].Given.Owner
}

// Held reports whether a quorum of servers held the lock for the section just after event seq.
func (h *Holding) Held(seq int64) bool {
	n := 0
	for g := range h.all {
		if g.Given.Seq <= max(seq, h.section.Enter) && g.Held(seq) {
			n++
		}
	}
	return n >= h.Quorum
}

// Loss returns the event after which fewer servers than a quorum held the lock, nil if that never
// happened. If there never was a quorum it is the event of the last grant.
func (h *Holding) Loss() *history.Event {
	held := len(h.Grants)
	if held < h.Quorum {
		return h.Grants[len(h.Grants)-1].Given
	}
	type change struct {
		event *history.Event
		by    int
	}
	changes := make([]change, 0, few)
	for _, g := range h.refills {
		changes = append(changes, change{g.Given, 1})
	}
	for g := range h.all {
		if g.Ended != nil {
			changes = append(changes, change{g.Ended, -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.event.Seq, b.event.Seq), b.by-a.by) })
	for _, c := range changes {
		if held += c.by; held < h.Quorum {
			return c.event
		}
	}
	return nil
}

// servers returns the last grant of each server.
func (h *Holding) servers() []*Grant {
	if h.refills == nil {
		return h.Grants
	}
	list := slices.Clone(h.Grants)
	for _, g := range h.refills {
		if i := slices.IndexFunc(list, func(other *Grant) bool { return other.node == g.node }); i >= 0 {
			list[i] = g
		} else {
			list = append(list, g)
		}
	}
	return list
}

// GivenBack reports whether by event seq the section's own release had freed its grants on enough
// servers for the lock to be free. A section that entered when it had lost the lock gives nothing back.
func (h *Holding) GivenBack(seq int64) bool {
	n, servers := 0, h.servers()
	for _, g := range servers {
		if g.givenBack() && g.Ended.Seq < seq {
			n++
		}
	}
	return len(servers) >= h.Quorum && n > len(servers)-h.Quorum
}

// Until returns when the lock expires on enough servers for it to be free, the maximum duration if
// never.
func (h *Holding) Until() time.Duration {
	servers := h.servers()
	ends := make([]time.Duration, 0, few)
	for _, g := range servers {
		if u := g.Until(); u != 0 {
			ends = append(ends, u)
		}
	}
	spare := max(len(servers)-h.Quorum, 0)
	if spare >= len(ends) {
		return math.MaxInt64
	}
	slices.Sort(ends)
	return ends[spare]
}

// Asked returns a lower bound of the time at which the section began to ask for the lock.
func (h *Holding) Asked() time.Duration {
	// With several servers, one may refuse what others grant in the same attempt.
	if h.Quorum > 1 {
		return h.section.CallAt
	}
	return h.Grants[0].asked
}

// Lease returns the shortest lease of the grants and their renewals, 0 if none expires.
func (h *Holding) Lease() time.Duration {
	var shortest time.Duration
	for _, g := range h.Grants {
		if d, _ := g.Leases(); d != 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

// LossOf returns when a section that had been let in lost its lock. The event is Forever if that
// never happened or no server recorded its grant.
func (in *Evidence) LossOf(s *history.Section) (event int64, at time.Duration) {
	h := in.Holding(s)
	if h == nil {
		return Forever, 0
	}
	e := h.Loss()
	if e == nil {
		return Forever, 0
	}
	return max(e.Seq, s.Enter), max(e.At, s.EnterAt)
}
