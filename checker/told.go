package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func toldCheck() Check {
	return Check{
		Name:  "told",
		Doc:   "a holder that has lost the lock is told in time",
		Did:   "did not tell a holder of its loss",
		About: Service, Rank: 6,
		OfHolders: true, OfGrants: true,
		Unit: "a section that lost the lock and was not told in time",
		run:  told,
	}
}

// told looks for holders that were not told of their loss. A section lost its grant if the server
// ended it while the body was still at work.
//
// If the strategy promises to tell, the holder must learn of the loss while it works, no later than
// toldBound after the end of its lease, which it can know by its own clock. The time in which the
// holder was stopped does not count. Under any other strategy the final answer must say that the
// lock was lost, or that the strategy does not know. An error of the work alone, even that it was
// cancelled, says neither.
//
// A session has no such end. Its holder must be told within toldBound after the server has ended it, and the time of two
// messages: a member of the service learns of the end from the leader, and the client from that member.
//
// The end of the lease is the server's, which is a little later than the holder's: the holder
// counts from the sending of its request.
func told(in *input, r *Result) {
	for _, s := range in.Sections {
		h := in.Holding(s)
		if h == nil {
			continue
		}
		r.Applies = true
		left, leftAt := in.WorkEnd(s)
		if h.Held(left) {
			continue
		}
		loss := h.Loss()
		events := []int64{s.Grant, s.Enter, loss.Seq, s.Told, s.Leave, s.Return, s.Crash}
		over, bound := max(loss.At, h.Until()), toldBound
		if h.Lease() == 0 && loss.Type == history.Expired {
			over, bound = loss.At, toldBound+2*in.Meta.Slowest // a session, whose end is not known before
		}
		if late := in.untold(s, over, left, leftAt); in.Meta.Tells && late > bound {
			r.find(Invalid, events, "not told: %s had lost lock %s (%s) and worked on for %s after its lease without being told",
				evidence.NameOf(s), s.Key, howLost(loss), late)
			continue
		}
		if s.Return != 0 && (s.Told == 0 || s.Told > s.Return) && s.Class != history.ClassLost && (!unsure(s) || bodyAlone(s)) {
			r.find(Invalid, events, "never told: %s had lost lock %s (%s), and its strategy answered %s",
				evidence.NameOf(s), s.Key, howLost(loss), answered(s))
		}
	}
}

// howLost says how a holder lost its lock, by the event that ended its grant.
func howLost(loss *history.Event) string {
	switch {
	case loss.Type == history.Granted:
		return "on too many servers"
	case loss.With != "":
		return "with its " + loss.With
	}
	return string(loss.Type)
}

// untold returns how long s worked on untold after it had lost the lock and its lease was over. A section whose context has
// ended was told to stop, and its strategy cannot tell it more.
func (in *input) untold(s *history.Section, over time.Duration, left int64, leftAt time.Duration) time.Duration {
	to := leftAt
	if s.Told != 0 && s.Told < left {
		to = s.ToldAt
	}
	if end := in.contextEnd(s, to); end != nil {
		to = end.At
	}
	return in.Stopped()[s.Worker].Outside(max(over, s.EnterAt), to)
}
