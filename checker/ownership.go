package checker

import (
	"fmt"

	"lockquake/history"
)

// ownership looks for renewals and releases of somebody else's grant. Somebody
// else is another worker, and the same worker at another time: a release that
// was sent before the grant was asked for, or that comes while the section is
// still at work, belongs to an earlier one; and a renewal has no business once
// its section has given the lock back, even if the server declines it.
//
// A section that returned without knowing what became of its requests may
// have left a renewal on the way; and what a process sent before it crashed may
// come after. Of several servers some may be given up on, and get what was sent to
// them late: a renewal that comes to fewer than a quorum of them keeps nothing.
func ownership(in *input, r *Result) {
	var late []lateRenewal
	for _, g := range in.ledger().grants {
		r.Applies = true
		s := g.section
		for _, e := range g.renewals {
			switch {
			case e.Worker != "" && e.Worker != g.worker:
				in.violated(r, g.victim(), []int64{g.given.Seq, e.Seq}, "renewed another's: %s renewed the grant of lock %s that %s had", e.Worker, g.key, g.worker)
			case s != nil && s.Return != 0 && e.Seq > s.Return && g.given.Seq < s.Return && !unsure(s):
				text := fmt.Sprintf("lock %s was renewed %s after %s had ended", g.key, e.At-s.ReturnAt, nameOf(s))
				late = append(late, lateRenewal{s, e.Node, []int64{g.given.Seq, s.Return, e.Seq}, text})
			}
		}
		e := g.ended
		switch {
		case e == nil || e.Type != history.Freed || e.Worker == "":
		case e.Worker != g.worker:
			in.violated(r, g.victim(), []int64{g.given.Seq, e.Seq}, "freed another's: %s freed the grant of lock %s that %s had%s", e.Worker, g.key, g.worker, again(e))
		case s == nil, s.Leave != 0 && g.given.Seq > s.Leave: // its own release ends what came too late
		case e.Sent != 0 && e.Sent < g.given.Sent && in.holding(s).owner() == g.given.Owner, in.works(s, g, e.Seq):
			in.violated(r, g.victim(), []int64{g.given.Seq, s.Enter, e.Seq, s.Leave}, "freed too early: an earlier release of %s freed lock %s, which the server had given to %s since%s",
				e.Worker, g.key, nameOf(s), again(e))
		}
	}
	late = append(late, in.lateRenewals()...)
	for _, one := range late {
		nodes := map[string]bool{}
		for _, other := range late {
			if other.section == one.section {
				nodes[other.node] = true
			}
		}
		if len(nodes) >= in.quorum() {
			in.violated(r, one.section, one.events, "renewed after release: %s", one.text)
		}
	}
}

// victim returns what counts once when another request touches the grant: its section,
// which may have grants of several servers, or the grant itself if it has no section.
func (g *grant) victim() any {
	if g.section != nil {
		return g.section
	}
	return g
}

// again says of a command that it arrived a second time.
func again(e *history.Event) string {
	if e.Again {
		return fmt.Sprintf("; it arrived a second time, %s after it was sent", readable(e.At-e.Sent))
	}
	return ""
}

// lateRenewal is a renewal that came to a server when its section had given the
// lock back.
type lateRenewal struct {
	section *history.Section
	node    string
	events  []int64
	text    string
}

// works reports whether the section was let in with the grant and was at work
// at event seq, in the belief that it still had the lock.
func (in *input) works(s *history.Section, g *grant, seq int64) bool {
	left, _ := in.left(s)
	return in.holding(s).with(g) && s.Told == 0 && seq > s.Enter && seq < left
}

// lateRenewals looks for renewals that the server declined because their own
// section had freed the lock before: it did not wait for them, or sent them
// afterwards. One that was under way for longer than a client waits for an
// answer had been given up on, and of one that the network brought twice, the second
// copy is nobody's.
func (in *input) lateRenewals() []lateRenewal {
	var late []lateRenewal
	for _, d := range in.ledger().declined {
		e, g, freed := d.event, d.grant, d.grant.ended
		if g.section == nil || g.section.Crashed || e.Again {
			continue
		}
		if freed.Sent != 0 && e.Sent > freed.Sent || e.Sent > g.given.At && e.At-e.Sent < in.answer() {
			text := fmt.Sprintf("%s asked for a renewal of lock %s, and the server came to it %s after the lock had been freed",
				nameOf(g.section), g.key, e.At-freed.At)
			late = append(late, lateRenewal{g.section, e.Node, []int64{g.given.Seq, freed.Seq, e.Seq}, text})
		}
	}
	return late
}
