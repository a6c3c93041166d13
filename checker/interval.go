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

// overlapping finds the pairs of sections of one lock whose intervals overlap.
// What a section's interval is, if it has one, is for during to say; the format
// takes the names of both, the lock and how long they overlap.
func (in *input) overlapping(r *Result, during func(*history.Section) (interval, bool), format string) {
	for _, group := range groups(in.sections, lockOf) {
		var list []interval
		for _, s := range group {
			if x, ok := during(s); ok {
				r.Applies = true
				list = append(list, x)
			}
		}
		count, few := overlaps(list)
		for _, o := range few {
			r.find(Invalid, []int64{o.first.from, o.first.to, o.second.from, o.second.to}, format,
				nameOf(o.first.section), nameOf(o.second.section), o.first.section.Key, o.lasting())
		}
		r.Count += count - len(few)
	}
}

func lockOf(s *history.Section) string { return s.Key }

// overlap is two intervals that share more than an end.
type overlap struct{ first, second interval }

// lasting says how much virtual time the two share. It can be none: a single read
// is over as it begins.
func (o overlap) lasting() string {
	length := min(o.first.toAt, o.second.toAt) - o.second.fromAt
	if length == 0 {
		return "at one instant"
	}
	return "for " + readable(length).String()
}

// overlaps counts the overlapping pairs of a list and returns the first few
// of them. It sorts the list by its beginnings.
func overlaps(list []interval) (count int, few []overlap) {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	ends := make([]int64, len(list))
	for i := range list {
		ends[i] = list[i].to
	}
	slices.Sort(ends)
	var open []interval
	ended := 0
	for i, x := range list {
		// Everything before x in the list began before it, and shares something
		// with it unless it has ended. No two intervals share an event, so only
		// x itself can end where x begins.
		for ends[ended] < x.from {
			ended++
		}
		count += i - ended
		if len(few) == maxFindings {
			continue
		}
		open = slices.DeleteFunc(open, func(y interval) bool { return y.to < x.from })
		for _, y := range open {
			if len(few) < maxFindings {
				few = append(few, overlap{y, x})
			}
		}
		open = append(open, x)
	}
	return count, few
}
