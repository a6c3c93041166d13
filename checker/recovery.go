package checker

import (
	"time"

	"lockquake/history"
)

func recoveryCheck() Check {
	return Check{
		Name:  "recovery",
		Doc:   "a lock whose owner has crashed or returned is soon free again, and none is held for ever",
		About: Service, Rank: 6,
		Unit: "a section whose grant stayed behind, on one server or several",
		run:  recovery,
	}
}

// recovery looks for grants that outlive their owners.
//
// A section that keeps asking although a server has given it the lock does not know of its grant.
// Once a section has returned, its grant must be gone within recoveryMargin, whether the answer was
// ok or an error: a grant that its owner does not know of is a ghost. If the owner crashed, or
// answered that it does not know what became of its requests, nobody is left to free the lock, and
// the grant may last for the lease and the margin. In that case a request of the owner may still
// arrive late, and the lease counts from its arrival.
//
// A cancelled answer says that the caller gave up. The lock still has to undo its requests, or to
// answer unknown. Cancelled counts as unknown if a fault other than the cancellation may have kept
// the lock from undoing them.
//
// With several servers, grants on fewer than a quorum block nobody, so they may last for the lease
// too. A grant is in the way only if a server refused somebody because of it. At the end of the
// history a grant without an owner is a leak if it never expires or is older than lease and margin,
// even if nobody asked for the lock.
func recovery(in *input, r *Result) {
	end := in.endAt()
	for _, g := range in.ledger().grants {
		r.Applies = true
		s := g.section
		if s == nil {
			continue // no section of this history asked for it
		}
		if e := in.ignored(g); e != nil {
			in.violated(r, s, []int64{s.Call, g.given.Seq, e.Seq}, "ghost: lock %s had been given to %s, which did not know it and was refused %s later",
				g.key, nameOf(s), e.At-g.given.At)
			continue
		}
		gone, goneAt := in.sectionEnd(s)
		if gone == forever || !g.held(gone) {
			continue
		}
		events := []int64{s.Call, g.given.Seq, gone}
		due, freeAt := in.due(g, goneAt)
		if inTheWay := refusedAfter(g, gone, due); inTheWay != nil {
			in.violated(r, s, append(events, inTheWay.Seq), "ghost: lock %s was still refused to %s %s after %s %s",
				g.key, inTheWay.Worker, inTheWay.At-goneAt, nameOf(s), ending(s))
			continue
		}
		if g.ended == nil && (g.until() == 0 || end > freeAt) {
			in.violated(r, s, events, "leak: lock %s is held at the end of the run, %s after %s %s",
				g.key, end-goneAt, nameOf(s), ending(s))
		}
	}
}

// ignored returns the last refusal that a section met because of its own grant, if that was later
// than the margin. With several servers, one may refuse because of the grant of an earlier attempt,
// which is no violation.
func (in *input) ignored(g *grant) *history.Event {
	if g.own != nil && in.quorum() == 1 && g.own.At > g.given.At+recoveryMargin {
		return g.own
	}
	return nil
}

// due returns when a grant whose owner is gone must no longer be in anybody's way, and when it must
// be free even if nobody asks.
func (in *input) due(g *grant, goneAt time.Duration) (due, freeAt time.Duration) {
	_, lease := g.leases()
	lease = max(lease, in.Meta.TTL)
	from := max(goneAt, g.given.At)
	for _, e := range g.renewals {
		if e.At <= goneAt+lease {
			from = max(from, e.At)
		}
	}
	freeAt = from + lease + recoveryMargin
	due = max(goneAt, g.given.At) + recoveryMargin
	if s := g.section; s.Crashed || g.revived || !in.outcomeKnown(s) || in.quorum() > 1 && !in.quorumLeft(g, due) {
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
	return in.disturbed(s.Worker, s.CallAt, s.ReturnAt+recoveryMargin, history.EffectCancels)
}

// quorumLeft reports whether at the given time a quorum of servers still held the grants of g's
// owner, and no fault kept the section from giving them back.
func (in *input) quorumLeft(g *grant, at time.Duration) bool {
	n := 0
	for _, other := range g.attempt.grants {
		if other.given.Owner == g.given.Owner && other.given.At <= at && (other.ended == nil || other.ended.At > at) {
			n++
		}
	}
	return n >= in.quorum() && !in.keptFromUndoing(g.section)
}

// refusedAfter returns the last refusal because of g, if it came after the event gone and the time
// due.
func refusedAfter(g *grant, gone int64, due time.Duration) *history.Event {
	if e := g.refusal; e != nil && e.Seq > gone && e.At > due {
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
