package checker

import (
	"time"

	"lockquake/history"
)

// told looks for holders that nobody told of their loss. A section lost its
// grant if the server let it go while the body was still at work.
//
// The holder of a strategy that promises to tell must learn of that while it
// works: no later than toldBound after the end of its lease, which it can
// know by its own clock. Whatever stopped the holder does not count. Other
// strategies must not be silent when the section ends: their last answer says
// that the lock was lost, or that they do not know. The error of the work alone,
// also that it was cancelled, says neither.
//
// The end of the lease is the server's word, which is a little later than the
// holder's own, who counts from the sending of its request.
func told(in *input, r *Result) {
	for _, s := range in.sections {
		h := in.holding(s)
		if h == nil {
			continue
		}
		r.Applies = true
		left, leftAt := in.left(s)
		if h.held(left) {
			continue
		}
		loss := h.loss()
		events := []int64{s.Grant, s.Enter, loss.Seq, s.Told, s.Leave, s.Return, s.Crash}
		if late := in.untold(s, max(loss.At, h.until()), left, leftAt); in.Meta.Tells && late > toldBound {
			r.find(Invalid, events, "not told: %s had lost lock %s (%s) and worked on for %s after its lease, with nobody telling it",
				nameOf(s), s.Key, loss.Type, late)
			continue
		}
		if s.Return != 0 && (s.Told == 0 || s.Told > s.Return) && s.Class != history.ClassLost && (!unsure(s) || bodyAlone(s)) {
			r.find(Invalid, events, "never told: %s had lost lock %s (%s), and its strategy answered %s",
				nameOf(s), s.Key, loss.Type, answered(s))
		}
	}
}

// untold returns how long s worked on without being told after it had lost the
// lock and its lease was over.
func (in *input) untold(s *history.Section, over time.Duration, left int64, leftAt time.Duration) time.Duration {
	to := leftAt
	if s.Told != 0 && s.Told < left {
		to = s.ToldAt
	}
	return in.stopped()[s.Worker].beside(max(over, s.EnterAt), to)
}

// unsure reports whether the answer of s leaves open what became of its requests.
func unsure(s *history.Section) bool {
	return s.Class == history.ClassUnknown || s.Class == history.ClassCancelled
}

// bodyAlone reports whether the answer of s is the error of the work, and nothing of
// the lock.
func bodyAlone(s *history.Section) bool { return s.BodyErr != "" && s.Err == s.BodyErr }

// answered is how a finding calls what a strategy answered.
func answered(s *history.Section) string {
	if s.Class == history.ClassOK {
		return "ok"
	}
	return string(s.Class)
}
