package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func recoveryCheck() Check {
	return Check{
		Name:  "recovery",
		Doc:   "a lock whose owner has crashed or returned is soon free again, and no lock stays taken forever",
		Did:   "kept a lock held after its owner had gone",
		About: Service, Rank: 6,
		OfHolders: true, OfGrants: true,
		Unit: "a section whose grant stayed behind, on one server or several",
		run:  recovery,
	}
}

// recovery looks for grants that outlive their owners.
//
// A section that keeps asking although a server has given it the lock does not know of its grant. Once a section has
// returned, its grant must be gone within recoveryMargin and the time of its messages, whether the answer was ok or an
// error: a grant that its owner does not know of is a ghost. If the owner crashed, or answered that it does not know
// the outcome of its requests, no worker is left to free the lock, and the grant may last for the lease and the margin. In
// that case a request that the owner has sent before may still arrive late, and the lease counts from its arrival. A
// renewal that was sent after the end of the section prolongs nothing: the owner was to stop. Until the lease is over,
// it also counts from a new leader, which gives each lease or session its whole time. Time in which the servers are
// stopped, their leader, or the one of several independent servers that has the grant, does not count.
//
// A cancelled answer says that the caller gave up. The lock still has to undo its requests, or to
// answer unknown. Cancelled counts as unknown if a fault other than the cancellation may have kept
// the lock from undoing them.
//
// With several servers, grants on fewer than a quorum block no worker, so they may last for the lease
// too. A grant is in the way only if a server refused a worker because of it, or made a request wait
// in its queue until the grant ended. At the end of the history a grant without an owner is a leak if it
// never expires or is older than lease and margin, even if no worker asked for the lock.
func recovery(in *input, r *Result) {
	end := in.EndAt()
	for _, g := range in.Ledger().Grants {
		r.Applies = true
		s := g.Section
		if s == nil {
			continue // no section of this history asked for it
		}
		if e := in.ignored(g); e != nil {
			in.violated(r, s, []int64{s.Call, g.Given.Seq, e.Seq}, "ghost: lock %s had been given to %s, which did not know it and was refused %s later",
				g.Key, evidence.NameOf(s), e.At-g.Given.At)
			continue
		}
		gone, goneAt := in.SectionEnd(s)
		if gone == evidence.Forever || !g.Held(gone) {
			continue
		}
		events := []int64{s.Call, g.Given.Seq, gone}
		due, freeAt := in.due(g, goneAt)
		if inTheWay := refusedAfter(g, gone, due); inTheWay != nil {
			in.violated(r, s, append(events, inTheWay.Seq), "ghost: lock %s was still refused to %s %s after %s %s",
				g.Key, inTheWay.Worker, inTheWay.At-goneAt, evidence.NameOf(s), ending(s))
			continue
		}
		if next := in.Ledger().Next(g); next != nil && g.Ended.At > due && next.Given.Sent <= due {
			in.violated(r, s, append(events, next.Given.Seq), "ghost: %s waited for lock %s until %s after %s %s",
				next.Worker, g.Key, g.Ended.At-goneAt, evidence.NameOf(s), ending(s))
			continue
		}
		if g.Ended == nil && (g.Until() == 0 || end > freeAt) {
			in.violated(r, s, events, "leak: lock %s is held at the end of the run, %s after %s %s",
				g.Key, end-goneAt, evidence.NameOf(s), ending(s))
		}
	}
}

// ignored returns the last refusal that a section met because of its own grant, if that was later
// than the margin. With several servers, one may refuse because of the grant of an earlier attempt,
// which is no violation.
func (in *input) ignored(g *evidence.Grant) *history.Event {
	if g.OwnRefusal != nil && in.Quorum() == 1 && g.OwnRefusal.At > g.Given.At+recoveryMargin+in.underWay() {
		return g.OwnRefusal
	}
	return nil
}

// due returns when a grant whose owner is gone must no longer be in anybody's way, and when it must
// be free even if no worker asks for it.
func (in *input) due(g *evidence.Grant, goneAt time.Duration) (due, freeAt time.Duration) {
	_, lease := g.Leases()
	lease = max(lease, in.Meta.TTL)
	from, over := max(goneAt, g.Given.At), in.Served(g.Given.Node, goneAt, lease)
	for _, e := range g.Renewals {
		late := e.Sent > 0 && e.Sent <= goneAt   // sent before, and held on its way
		unasked := e.Sent == 0 && e.Request == 0 // by a new leader or primary
		if late || unasked && e.At <= over {
			from = max(from, e.At)
		}
	}
	if g.Until() == 0 { // a session
		for _, at := range in.Takeovers() {
			if at <= over {
				from = max(from, at)
			}
		}
	}
	freeAt = in.Served(g.Given.Node, from, lease+recoveryMargin+in.underWay())
	due = max(goneAt, g.Given.At) + recoveryMargin + in.underWay()
	if s := g.Section; s.Crashed || g.Revived || !in.outcomeKnown(s) || in.Quorum() > 1 && !in.quorumLeft(g, due) {
		return freeAt, freeAt
	}
	return due, freeAt
}

// outcomeKnown reports whether the strategy knew the outcome of its requests when s returned, or
// had to make sure of it. An error of the work alone says nothing about that.
func (in *input) outcomeKnown(s *history.Section) bool {
	if s.Class == history.ClassCancelled && !bodyAlone(s) {
		return !in.keptFromUndoing(s)
	}
	return s.Class != history.ClassUnknown || bodyAlone(s)
}

// keptFromUndoing reports whether a fault may have kept s from undoing its requests.
func (in *input) keptFromUndoing(s *history.Section) bool {
	return in.Disturbed(s.Worker, s.CallAt, s.ReturnAt+recoveryMargin+in.underWay(), history.EffectCancels)
}

// quorumLeft reports whether at the given time a quorum of servers still held the grants of g's
// owner, and no fault kept the section from giving them back.
func (in *input) quorumLeft(g *evidence.Grant, at time.Duration) bool {
	n := 0
	for _, other := range g.Attempt.Grants {
		if other.Given.Owner == g.Given.Owner && other.Given.At <= at && (other.Ended == nil || other.Ended.At > at) {
			n++
		}
	}
	return n >= in.Quorum() && !in.keptFromUndoing(g.Section)
}

// refusedAfter returns the last refusal because of g, if it came after the event gone and the time
// due.
func refusedAfter(g *evidence.Grant, gone int64, due time.Duration) *history.Event {
	if e := g.Refusal; e != nil && e.Seq > gone && e.At > due {
		return e
	}
	return nil
}

// ending returns the end of a section, as findings word it.
func ending(s *history.Section) string {
	if s.Crashed {
		return "had crashed"
	}
	return "had ended with " + answered(s)
}
