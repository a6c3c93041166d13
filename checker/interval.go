package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
)

// interval is a stretch of a history that belongs to a section. Its ends are
// sequence numbers, so that two intervals which touch at one virtual instant
// are still before or after each other.
type interval struct {
	from, to     int64
	fromAt, toAt time.Duration
	section      *history.Section
}

// overlap is two intervals that share more than an end.
type overlap struct{ first, second interval }

// length is the virtual time that the two share. It can be 0: much can happen
// at one instant.
func (o overlap) length() time.Duration {
	return min(o.first.toAt, o.second.toAt) - o.second.fromAt
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
