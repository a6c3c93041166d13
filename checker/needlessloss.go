package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func needlessLossCheck() Check {
	return Check{
		Name:  "needless-loss",
		Doc:   "no lease is given up while it is still valid or could have been renewed",
		Did:   "gave up a lease needlessly",
		About: Efficiency, Rank: 7,
		OfHolders: true, OfGrants: true,
		Unit:     "a section that gave up its lease needlessly",
		Advisory: true,
		run:      needlessLoss,
	}
}

// needlessLoss looks for sections that gave up a lease without need: they were told of a loss, or
// answered lost, while the servers still held the lock for them. A loss is needless in two cases.
//
//   - The lease had not ended yet by the holder's own clock. The holder counts from the sending of
//     the last request that was granted, or from before it opened a connection for it, and may subtract the clock
//     drift of several servers.
//   - There was time to renew it: since the last renewal, the worker could reach the servers for
//     half of the lease without interruption, besides the time to open a connection. So one renewal that hangs must not
//     use up all of that time. A strategy that never renews means to let the lease end.
//
// A loss is not needless if the section has held the lock for the maximum hold time.
//
// Such a loss corrupts nothing, so the check decides only if an expectation names it.
func needlessLoss(in *input, r *Result) {
	for _, s := range in.Sections {
		h := in.Holding(s)
		if h == nil {
			continue
		}
		r.Applies = true
		if seq, at := in.givenUp(s); seq != 0 {
			if why := in.needless(s, at); why != "" {
				r.find(Invalid, []int64{s.Grant, s.Enter, seq}, "given up: %s was told that it had lost lock %s, which the server held for it, %s",
					evidence.NameOf(s), s.Key, why)
			}
		}
	}
}

// givenUp returns the event with which a section gave up a lease that the servers still held for
// it, 0 if it did not.
func (in *input) givenUp(s *history.Section) (seq int64, at time.Duration) {
	seq, at = s.Told, s.ToldAt
	if seq == 0 && s.Class == history.ClassLost {
		seq, at = s.Return, s.ReturnAt
	}
	if h := in.Holding(s); seq == 0 || h == nil || !h.Held(seq) {
		return 0, 0
	}
	return seq, at
}

// needless says why the loss of s at the given time was needless. It returns "" if it was not.
func (in *input) needless(s *history.Section, at time.Duration) string {
	lease, from := in.lastLease(s, at, in.lastKnown)
	switch {
	case lease == 0, in.clockFaulty(s.Worker, s.CallAt, at):
		return "" // the grant never expires, or the holder's clock was wrong
	case in.heldLongest(s, lease, at):
		return ""
	}
	if over := from + lease - in.margin(lease) - clockSlack - in.opening(); at < over {
		return fmt.Sprintf("%s before its lease was over by its own clock", readable(from+lease-at))
	}
	_, since := in.lastLease(s, at, in.lastArrived)
	if free := longest(in.cutOff(s.Worker), since, at); in.renews() && free-in.opening() >= lease/needlessShare {
		return fmt.Sprintf("after %s in which it could have renewed its lease", readable(free))
	}
	return ""
}

// renews reports whether any lease of the run was renewed.
func (in *input) renews() bool {
	if in.run != nil {
		return in.run.Renewed
	}
	return in.Ledger().Renewals > 0
}

// heldLongest reports whether the maximum hold time allowed no further renewal of a lease.
func (in *input) heldLongest(s *history.Section, lease, at time.Duration) bool {
	return in.Meta.MaxHold != 0 && at >= s.EnterAt+in.Meta.MaxHold-lease
}

// lastLease returns the last lease of s at the given time, and when the holder sent the request for it. Last says which is the
// last renewal of a grant.
func (in *input) lastLease(s *history.Section, at time.Duration, last func(*evidence.Grant, time.Duration) (*history.Event, time.Duration)) (lease, from time.Duration) {
	h := in.Holding(s)
	type known struct{ from, until time.Duration }
	const few = 8 // servers, so that the list stays on the stack
	list := make([]known, 0, few)
	for _, g := range h.Grants {
		one := known{from: in.countedFrom(h, g)}
		one.until = one.from
		if g.Given.Until != 0 {
			one.until = one.from + g.Given.Until - g.Given.At
		}
		if e, from := last(g, at); e != nil {
			one = known{from, from + e.Until - e.At}
		}
		list = append(list, one)
	}
	// The lock is lost with the grant that leaves fewer than a quorum.
	slices.SortFunc(list, func(a, b known) int { return cmp.Compare(a.until, b.until) })
	end := list[max(len(list)-h.Quorum, 0)]
	return end.until - end.from, end.from
}

// countedFrom returns a lower bound of the time from which the holder counts the lease of a grant. A client whose request, or whose
// connection for it, a fault held up sends the request again: the lease then counts from the first copy. On each of several servers a
// request has little time, so the bound is the sending of this one.
func (in *input) countedFrom(h *evidence.Holding, g *evidence.Grant) time.Duration {
	asked, sent := h.Asked(), g.Given.Sent
	if h.Quorum == 1 && asked < sent && in.Hindered(g.Worker).Touches(asked, sent) {
		return asked
	}
	return max(asked, sent)
}

// lastArrived returns the last renewal of a grant whose answer its holder probably had at the given time, and when the request was
// sent; nil if there is none. The answer takes about as long as the request did.
func (in *input) lastArrived(g *evidence.Grant, at time.Duration) (e *history.Event, sent time.Duration) {
	if i := in.lastAnswered(g, at, 0); i >= 0 {
		return g.Renewals[i], g.Renewals[i].Sent
	}
	return nil, 0
}

// lastKnown returns the last renewal of a grant whose answer its holder certainly had at the given time, and a lower bound of the time
// from which the holder counts the lease; nil if there is none. A renewal whose answer may have been lost or late does not
// count: an answer may take as long as the slowest request for the lock, and the client or the strategy may give up before it comes.
//
// A client that gets no answer, or an error, sends its request again. The lease then counts from the first copy, which it has
// sent after the answer to the renewal before.
func (in *input) lastKnown(g *evidence.Grant, at time.Duration) (e *history.Event, from time.Duration) {
	slowest := in.slowest(g.Key)
	for _, patience := range []time.Duration{in.Meta.Answer, in.Meta.NodeTimeout} {
		if patience != 0 && 2*slowest >= patience {
			return nil, 0
		}
	}
	i := in.lastAnswered(g, at, slowest)
	if i < 0 {
		return nil, 0
	}
	e, before := g.Renewals[i], g.Given
	if i > 0 {
		before = g.Renewals[i-1]
	}
	if before.At < e.Sent && in.Hindered(g.Worker).Touches(before.At, e.Sent) {
		return e, before.At
	}
	return e, e.Sent
}

// opening bounds how long a client that has no connection takes to open one before it sends a request. A holder counts its lease
// from before that. It takes two round trips, but hardly ever as long as two of the slowest messages of the run. It is 0 if the
// history does not say how slow those are.
func (in *input) opening() time.Duration {
	const slow = 2
	return slow * in.Meta.Slowest
}

// lastAnswered returns the index of the last renewal of a grant whose answer came before the given time, -1 if there is none. An
// answer takes as long as its request did, and at least as long as given. A renewal whose answer may have been lost or late does not
// count.
func (in *input) lastAnswered(g *evidence.Grant, at, least time.Duration) int {
	hindered := in.Hindered(g.Worker)
	for i, e := range slices.Backward(g.Renewals) {
		back := e.At + max(e.At-e.Sent, least)
		if e.Sent != 0 && e.Until != 0 && back < at && len(hindered.Within(e.Sent, back+1)) == 0 {
			return i
		}
	}
	return -1
}

// slowest returns how long the slowest message of the run took, or the slowest request about a lock, without those that a fault
// hindered and those that may have waited for the lock.
func (in *input) slowest(lock string) time.Duration {
	if in.slow == nil {
		in.slow = map[string]time.Duration{}
		for i := range in.Events {
			switch e := &in.Events[i]; e.Type {
			case history.Renewed, history.Freed, history.Refused:
				if e.Sent != 0 && e.At-e.Sent > in.slow[e.Key] && len(in.Hindered(e.Worker).Within(e.Sent, e.At)) == 0 {
					in.slow[e.Key] = e.At - e.Sent
				}
			default:
			}
		}
	}
	return max(in.slow[lock], in.Meta.Slowest)
}

// clockFaulty reports whether a fault changed the clock of a worker in that time.
func (in *input) clockFaulty(worker string, from, to time.Duration) bool {
	for f := range in.FaultsOf(worker) {
		if (f.Effect == history.EffectSkews || f.Effect == history.EffectSteps) && f.Target == worker && f.From <= to && f.To >= from {
			return true
		}
	}
	return false
}

// cutOff returns when a worker was stopped or could not reach the servers. A fault of a single
// message does not count, since the worker can send another one.
func (in *input) cutOff(worker string) evidence.Stretches {
	return in.HinderedBy(worker, func(f evidence.Fault) bool {
		return f.Effect != history.EffectCatches && f.Effect != history.EffectFails
	})
}

// longest returns the longest part of the time between from and to that is outside of s.
func longest(s evidence.Stretches, from, to time.Duration) time.Duration {
	var most time.Duration
	for _, x := range append(s.Within(from, to), evidence.Stretch{From: to, To: to}) {
		most, from = max(most, x.From-from), x.To
	}
	return most
}
