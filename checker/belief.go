package checker

import (
	"time"

	"lockquake/history"
)

// belief looks for two sections of one lock whose holders both believed to
// hold it, each from the moment that it was let in to the first of these: it
// was told of the loss, it left, its process ended. One violation is a section that
// believed when another one was let in, however many were. That is no corruption by
// itself: the resource may know better than either of them.
func belief(in *input, r *Result) {
	in.overlapping(r, in.believed, "two holders: %s and %s both believed to hold lock %s %s")
}

// believed returns the interval in which the holder of s believed, if it was
// let in. It lasts to the end of the history if nothing put an end to it.
func (in *input) believed(s *history.Section) (interval, bool) {
	x := interval{from: s.Enter, fromAt: s.EnterAt, to: forever, toAt: in.endAt(), section: s}
	until := func(seq int64, at time.Duration) {
		if seq > s.Enter && seq < x.to {
			x.to, x.toAt = seq, at
		}
	}
	until(s.Told, s.ToldAt)
	until(s.Leave, s.LeaveAt)
	until(s.Return, s.ReturnAt)
	until(s.Crash, s.CrashAt)
	return x, s.Entered()
}
