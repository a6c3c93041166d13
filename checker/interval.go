package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// interval is the part of a history that a section or an operation covers. Its ends are sequence
// numbers, so that of two intervals that touch at one virtual instant one is still before the
// other. The end is evidence.Forever if the section or operation never ended.
type interval struct {
	from, to     int64
	fromAt, toAt time.Duration
	section      *history.Section // nil for an operation
}

// span returns when o may have taken effect: the exact event if the resource recorded it, else the
// interval from call to return.
func span(o *history.Op) interval {
	if o.Applied != 0 {
		return interval{from: o.Applied, to: o.Applied, fromAt: o.AppliedAt, toAt: o.AppliedAt}
	}
	return interval{from: o.Invoke, to: o.Return, fromAt: o.InvokeAt, toAt: o.ReturnAt}
}

// overlapping reports each section of a lock during whose interval another section's interval
// begins, unless both have shared grants. A section counts once, however many others begin during
// its interval, and the finding shows the first of them. During returns the interval of a section,
// if it has one. The format receives the names of both sections, the lock, and how long they
// overlap.
func (in *input) overlapping(r *Result, during func(*history.Section) (interval, bool), format string) {
	for _, group := range groups(in.Sections, lockOf) {
		list := make([]interval, 0, len(group))
		for _, s := range group {
			if x, ok := during(s); ok {
				r.Applies = true
				list = append(list, x)
			}
		}
		evidence.SortBy(list, func(x *interval) int64 { return x.from })
		for i, x := range list {
			for _, y := range list[i+1:] {
				if y.from > x.to { // no two intervals share an event
					break
				}
				if in.Shares(x.section) && in.Shares(y.section) {
					continue
				}
				if r.full() {
					r.count(Invalid)
				} else {
					r.find(Invalid, []int64{x.from, x.to, y.from, y.to}, format, evidence.NameOf(x.section), evidence.NameOf(y.section), x.section.Key, overlapText(x, y))
				}
				break
			}
		}
	}
}

func lockOf(s *history.Section) string { return s.Key }

// overlapText says for how much virtual time x overlaps with y, which begins during x. That can be
// none: a single read begins and ends at one instant.
func overlapText(x, y interval) string {
	length := min(x.toAt, y.toAt) - y.fromAt
	if length == 0 {
		return "at one instant"
	}
	return "for " + readable(length).String()
}
