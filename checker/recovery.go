package checker

import (
	"time"

	"lockquake/history"
)

// recovery looks for grants that outlive their owners.
//
// A section that asks on though the lock was given to it does not know of its
// grant. Once a section has returned, its grant must be out of everybody's way within
// recoveryMargin, whether the answer was ok or an error: a lock that its owner
// knows nothing about is a ghost. Where the owner crashed, or said that it
// does not know what became of its requests, nobody is left to free the lock,
// and the lease on top of the margin is what it may take. In that case a late
// request of the owner may still come, and counts from its arrival.
//
// A cancelled answer says that the caller gave up, and not that the lock does not
// know: it has to undo what it asked for, or to answer unknown. It counts as unknown
// where a fault other than the cancellation may have kept it from that.
//
// Of several servers fewer than a quorum are in nobody's way, so the lease counts
// there too. Only a grant that is refused to somebody is in the way. At the end of the
// history a grant without an owner is a leak, even if nobody wanted it, when
// it has no end or is beyond lease and margin.
func recovery(in *input, r *Result) {
	end := in.endAt()
	for _, g := range in.ledger().grants {
		r.Applies = true
		s := g.section
		if s == nil {
			continue // given to nobody of this history
		}
		if e := in.ignored(g); e != nil {
			in.violated(r, s, []int64{s.Call, g.given.Seq, e.Seq}, "ghost: lock %s had been given to %s, which did not know it and was refused %s later",
				g.key, nameOf(s), e.At-g.given.At)
			continue
		}
		gone, goneAt := in.ended(s)
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

// ignored returns the last refusal by which a grant kept out its own section,
// which was still asking, beyond the margin. Of several servers one may well
// refuse what is left there of an earlier attempt.
func (in *input) ignored(g *grant) *history.Event {
	if g.own != nil && in.quorum() == 1 && g.own.At > g.given.At+recoveryMargin {
		return g.own
	}
	return nil
}

// due returns when a grant whose owner is gone must no longer be in anybody's
// way, and when it must be free even if nobody asks.
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
	if s := g.section; s.Crashed || g.revived || !in.knows(s) || in.quorum() > 1 && !in.barring(g, due) {
		return freeAt, freeAt
	}
	return due, freeAt
}

// knows reports whether the strategy knew what became of its requests when s
// returned, or had to see to it. An error of the work itself says nothing about that.
func (in *input) knows(s *history.Section) bool {
	if s.Class == history.ClassCancelled && !bodyAlone(s) {
		return !in.keptFromUndoing(s)
	}
	return s.Class != history.ClassUnknown || bodyAlone(s)
}

// keptFromUndoing reports whether a fault may have kept s from undoing what it had asked for.
func (in *input) keptFromUndoing(s *history.Section) bool {
	return in.disturbed(s.Worker, s.CallAt, s.ReturnAt+recoveryMargin, history.EffectCancels)
}

// barring reports whether a quorum of servers still hold at some time what they gave
// to the owner of g, though no fault kept its section from giving it back.
func (in *input) barring(g *grant, at time.Duration) bool {
	n := 0
	for _, other := range g.attempt.grants {
		if other.given.Owner == g.given.Owner && other.given.At <= at && (other.ended == nil || other.ended.At > at) {
			n++
		}
	}
	return n >= in.quorum() && !in.keptFromUndoing(g.section)
}

// refusedAfter returns the last refusal that g is to blame for, if that came
// after both an event and a time.
func refusedAfter(g *grant, gone int64, due time.Duration) *history.Event {
	if e := g.refusal; e != nil && e.Seq > gone && e.At > due {
		return e
	}
	return nil
}

// ending is how a finding calls the end of a section.
func ending(s *history.Section) string {
	if s.Crashed {
		return "had crashed"
	}
	return "had ended with " + answered(s)
}
