package evidence

import (
	"cmp"
	"slices"
	"time"
)

// Stretches are disjoint intervals of virtual time, in order.
type Stretches []Stretch

// Stretch is an interval of virtual time.
type Stretch struct{ From, To time.Duration }

// Union sorts stretches and merges those that overlap or touch. It reorders the given list.
func Union(list []Stretch) Stretches {
	slices.SortFunc(list, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	out := Stretches{}
	for _, x := range list {
		if last := len(out) - 1; last >= 0 && x.From <= out[last].To {
			out[last].To = max(out[last].To, x.To)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Within returns the parts of s that lie between from and to.
func (s Stretches) Within(from, to time.Duration) []Stretch {
	var out []Stretch
	for _, x := range s.Near(from, to) {
		if x = (Stretch{max(x.From, from), min(x.To, to)}); x.From < x.To {
			out = append(out, x)
		}
	}
	return out
}

// Near returns the stretches of s that overlap or touch the time between from and to, as they are.
func (s Stretches) Near(from, to time.Duration) Stretches {
	first, _ := slices.BinarySearchFunc(s, from, func(x Stretch, t time.Duration) int { return cmp.Compare(x.To, t) })
	end := first
	for end < len(s) && s[end].From <= to {
		end++
	}
	return s[first:end]
}

// Outside returns how much of the time between from and to is not in s.
func (s Stretches) Outside(from, to time.Duration) time.Duration {
	left := max(0, to-from)
	for _, x := range s.Within(from, to) {
		left -= x.To - x.From
	}
	return left
}

// Covers reports whether at is in s.
func (s Stretches) Covers(at time.Duration) bool { return s.Touches(at, at) }

// Touches reports whether any time between from and to is in s.
func (s Stretches) Touches(from, to time.Duration) bool {
	i, _ := slices.BinarySearchFunc(s, from, func(x Stretch, t time.Duration) int { return cmp.Compare(x.To, t) })
	return i < len(s) && s[i].From <= to
}
