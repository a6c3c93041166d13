package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
)

// interval is a stretch of a history, of a section or of one of its operations.
// Its ends are sequence numbers, the later one forever where nothing ends it, so
// that two intervals which touch at one virtual instant are still before or
// after each other.
type interval struct {
	from, to     int64
	fromAt, toAt time.Duration
	section      *history.Section // nil: it is of an operation
}

// overlapping finds the sections of one lock in whose interval that of another one
// begins, unless both have grants that are shared. Each counts once, however many begin in it, and the finding shows the
// first of them. What a section's interval is, if it has one, is for during to say;
// the format takes the names of both, the lock and how long they overlap.
func (in *input) overlapping(r *Result, during func(*history.Section) (interval, bool), format string) {
	for _, group := range groups(in.sections, lockOf) {
		var list []interval
		for _, s := range group {
			if x, ok := during(s); ok {
				r.Applies = true
				list = append(list, x)
			}
		}
		slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
		for i, x := range list {
			for _, y := range list[i+1:] {
				if y.from > x.to { // no two intervals share an event
					break
				}
				if in.shares(x.section) && in.shares(y.section) {
					continue
				}
				if r.full() {
					r.count(Invalid)
				} else {
					r.find(Invalid, []int64{x.from, x.to, y.from, y.to}, format, nameOf(x.section), nameOf(y.section), x.section.Key, lasting(x, y))
				}
				break
			}
		}
	}
}

func lockOf(s *history.Section) string { return s.Key }

// lasting says how much virtual time an interval shares with one that begins in
// it. It can be none: a single read is over as it begins.
func lasting(x, y interval) string {
	length := min(x.toAt, y.toAt) - y.fromAt
	if length == 0 {
		return "at one instant"
	}
	return "for " + readable(length).String()
}
