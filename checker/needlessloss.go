package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/history"
)

// needlessLoss looks for sections that gave up a lease without need: they were told
// of a loss, or answered lost, while the servers held the lock for them. A loss is
// needless in two cases.
//
//   - The lease was good for longer, by the holder's own clock. That counts from the
//     sending of the last request that was granted, and may take off the drift of
//     the clocks of several servers.
//   - There was time to renew it: since it was renewed last, the worker could reach
//     the servers for half of the lease in one piece. It is so where one renewal
//     that hangs uses up all of it. A strategy that never renews means to let the
//     lease end.
//
// Nor is it one if the section has held the lock for as long as it may.
//
// Such a loss corrupts nothing, so the check does not decide unless it is named.
func needlessLoss(in *input, r *Result) {
	for _, s := range in.sections {
		h := in.holding(s)
		if h == nil {
			continue
		}
		r.Applies = true
		if seq, at := in.givenUp(s); seq != 0 {
			if why := in.needless(s, at); why != "" {
				r.find(Invalid, []int64{s.Grant, s.Enter, seq}, "given up: %s was told that it had lost lock %s, which the server held for it, %s",
					nameOf(s), s.Key, why)
			}
		}
	}
}

// givenUp returns the event by which a section gave up what the servers still held
// for it, 0 if it did not.
func (in *input) givenUp(s *history.Section) (seq int64, at time.Duration) {
	seq, at = s.Told, s.ToldAt
	if seq == 0 && s.Class == history.ClassLost {
		seq, at = s.Return, s.ReturnAt
	}
	if h := in.holding(s); seq == 0 || h == nil || !h.held(seq) {
		return 0, 0
	}
	return seq, at
}

// needless says why a section need not have given up its lease at some time, or "".
func (in *input) needless(s *history.Section, at time.Duration) string {
	lease, from := in.lastLease(s, at)
	switch {
	case lease == 0, in.clocked(s.Worker, s.CallAt, at):
		return "" // it has no end, or nobody can say what its holder's clock was worth
	case in.Meta.MaxHold != 0 && at >= s.EnterAt+in.Meta.MaxHold-lease:
		return "" // it has held the lock for as long as it may, and no renewal follows
	}
	if over := from + lease - in.drift(lease) - clockSlack; at < over {
		return fmt.Sprintf("%s before its lease was over by its own clock", readable(from+lease-at))
	}
	if free := longest(in.cutOff(s.Worker), from, at); in.ledger().renewals > 0 && free >= lease/needlessShare {
		return fmt.Sprintf("after %s in which it could have renewed its lease", readable(free))
	}
	return ""
}

// lastLease returns the lease that the holder of s knew last, and when it sent the
// request for it. A renewal of which the answer may have got lost does not count.
func (in *input) lastLease(s *history.Section, at time.Duration) (lease, from time.Duration) {
	h := in.holding(s)
	hindered := in.hindered(s.Worker)
	type known struct{ from, until time.Duration }
	list := make([]known, 0, few)
	for _, g := range h.grants {
		last := known{from: max(h.asked(), g.given.Sent)}
		last.until = last.from
		if g.given.Until != 0 {
			last.until = last.from + g.given.Until - g.given.At
		}
		for _, e := range g.renewals {
			// The answer takes about as long as the request did.
			if back := e.At + e.At - e.Sent; e.Sent != 0 && e.Until != 0 && back < at && len(hindered.within(e.Sent, back+1)) == 0 {
				last = known{e.Sent, e.Sent + e.Until - e.At}
			}
		}
		list = append(list, last)
	}
	// The lock is gone with the grant that makes them fewer than a quorum.
	slices.SortFunc(list, func(a, b known) int { return cmp.Compare(a.until, b.until) })
	last := list[max(len(list)-h.quorum, 0)]
	return last.until - last.from, last.from
}

// clocked reports whether something was wrong with the clock of a worker.
func (in *input) clocked(worker string, from, to time.Duration) bool {
	return slices.ContainsFunc(in.faults(), func(f fault) bool {
		return (f.Effect == history.EffectSkews || f.Effect == history.EffectSteps) && f.Target == worker && f.from <= to && f.to >= from
	})
}

// cutOff returns when a worker could not reach the servers, or could do nothing. What
// happens to a single message does not keep it from sending another.
func (in *input) cutOff(worker string) stretches {
	return in.hinderedBy(worker, func(f fault) bool {
		return f.Effect != history.EffectCatches && f.Effect != history.EffectFails
	})
}

// longest returns the longest piece of the time between two moments that lies beside s.
func longest(s stretches, from, to time.Duration) time.Duration {
	var most time.Duration
	for _, x := range append(s.within(from, to), stretch{to, to}) {
		most, from = max(most, x.from-from), x.to
	}
	return most
}
