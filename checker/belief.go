package checker

import (
	"time"

	"lockquake/history"
)

// belief looks for two sections of one lock whose holders both believed to
// hold it, each from the moment that it was let in to the first of these: it
// was told of the loss, it left, its process ended. That is no corruption by
// itself: the resource may know better than either of them.
func belief(in *input, r *Result) {
	end := int64(len(in.Events)) + 1
	endAt := in.endAt()
	for _, group := range groups(in.sections, lockOf) {
		var list []interval
		for _, s := range group {
			if s.Entered() {
				r.Applies = true
				list = append(list, believed(s, end, endAt))
			}
		}
		count, few := overlaps(list)
		for _, o := range few {
			r.find(Invalid, []int64{o.first.from, within(o.first.to, end), o.second.from, within(o.second.to, end)},
				"two holders: %s and %s both believed to hold lock %s for %s",
				nameOf(o.first.section), nameOf(o.second.section), o.first.section.Key, o.length())
		}
		r.Count += count - len(few)
	}
}

// believed returns the time in which the holder of s believed, up to end if
// nothing put an end to it.
func believed(s *history.Section, end int64, endAt time.Duration) interval {
	x := interval{from: s.Enter, fromAt: s.EnterAt, to: end, toAt: endAt, section: s}
	until := func(seq int64, at time.Duration) {
		if seq > s.Enter && seq < x.to {
			x.to, x.toAt = seq, at
		}
	}
	until(s.Told, s.ToldAt)
	until(s.Leave, s.LeaveAt)
	until(s.Return, s.ReturnAt)
	until(s.Crash, s.CrashAt)
	return x
}

// within is seq, or 0 if that is no event of the history.
func within(seq, end int64) int64 {
	if seq == end {
		return 0
	}
	return seq
}
