package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func beliefCheck() Check {
	return Check{
		Name:  "belief",
		Doc:   "no two workers believe at the same time that they hold one lock",
		Did:   "had two workers that believed they held the lock",
		About: Belief, Rank: 7,
		OfHolders: true,
		Unit:      "a section that believed that it held the lock when another one was let in",
		Advisory:  true,
		run:       belief,
	}
}

// belief looks for two sections of one lock that both believed that they held it. A section believes from
// the time that it was let in until it is told of the loss, leaves, or its process ends. One
// violation is a section that believed when another one was let in, no matter how many others
// followed. Belief alone corrupts nothing: the resource may refuse the stale one.
func belief(in *input, r *Result) {
	in.overlapping(r, in.believed, "two holders: %s and %s both believed they held lock %s %s")
}

// believed returns the interval in which s believed that it held the lock, and whether s was let in. It
// lasts to the end of the history if nothing ended it.
func (in *input) believed(s *history.Section) (interval, bool) {
	x := interval{from: s.Enter, fromAt: s.EnterAt, to: evidence.Forever, toAt: in.EndAt(), section: s}
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
