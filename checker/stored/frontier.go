package stored

import (
	"cmp"
	"math/bits"
	"slices"

	"lockquake/checker"
)

// frontier goes through the events in order and keeps all spots that the moves so far can have led
// to. Of spots that differ only in the open moves taken, it keeps those with the fewest. A move
// under way happens as late as possible: only when the end of a move requires it. If no spot is
// left there is no order, and frontier returns the move that has just ended.
func (o *ordering) frontier() (checker.Verdict, *move) {
	f := frontier{ordering: o, left: o.limits.accesses}
	type end struct {
		at int64
		m  *move
	}
	var events []end
	for i := range o.moves {
		m := &o.moves[i]
		if events = append(events, end{m.call, m}); m.kind < 0 {
			events = append(events, end{m.ret, m})
		}
	}
	slices.SortFunc(events, func(a, b end) int { return cmp.Compare(a.at, b.at) })
	spots := []spot{o.start()}
	called := make([]byte, len(o.kinds))
	f.called = called
	for _, e := range events {
		switch {
		case e.m.kind >= 0:
			called[e.m.kind]++
		case e.at == e.m.call:
			slot := bits.TrailingZeros64(^f.busy)
			if slot == len(f.slots) {
				return checker.Unknown, nil // more moves are under way than a spot can count
			}
			f.slots[slot] = e.m
			f.busy |= 1 << slot
		default:
			slot := slices.Index(f.slots[:], e.m)
			if spots = f.pass(spots, slot); f.left < 0 {
				return checker.Unknown, nil
			}
			if len(spots) == 0 {
				return checker.Invalid, e.m
			}
			f.slots[slot] = nil
			f.busy &^= 1 << slot
		}
	}
	return checker.Valid, nil
}

type frontier struct {
	*ordering
	left   int       // spots that may still be visited
	slots  [64]*move // the moves under way
	busy   uint64    // the slots that are in use
	called []byte    // the number of open moves of each kind that have been called
}

// pass returns the possible spots after the move in a slot has ended. Spots with fewer open moves
// taken come first, so that the others can be compared with them.
func (f *frontier) pass(spots []spot, slot int) (after []spot) {
	been := map[spot][]string{}
	var queue [][]spot // by the number of open moves taken
	push := func(s spot) {
		if !frugal(been, s) {
			return
		}
		n := 0
		for i := range len(s.taken) {
			n += int(s.taken[i])
		}
		for len(queue) <= n {
			queue = append(queue, nil)
		}
		queue[n] = append(queue[n], s)
	}
	for _, s := range spots {
		push(s)
	}
	for n := 0; n < len(queue); n++ {
		for i := 0; i < len(queue[n]); i++ {
			if f.left--; f.left < 0 {
				return nil
			}
			if s := queue[n][i]; s.under&(1<<slot) != 0 {
				s.under &^= 1 << slot
				after = append(after, s)
			} else {
				f.expand(s, slot, push)
			}
		}
	}
	return after
}

// expand pushes the spots that are one move away. If the move in the slot does not fit, it records
// the condition that the move met.
func (f *frontier) expand(s spot, slot int, push func(spot)) {
	for todo := f.busy &^ s.under; todo != 0; todo &= todo - 1 {
		i := bits.TrailingZeros64(todo)
		next := s
		next.under |= 1 << i
		var ok bool
		if next.condition, ok = f.model.step(s.condition, f.slots[i]); ok {
			push(next)
		} else if m := f.slots[i]; i == slot && !slices.Contains(f.met[m], s.condition) {
			f.met[m] = append(f.met[m], s.condition)
		}
	}
	for kind, moves := range f.kinds {
		if taken := s.taken[kind]; taken < f.called[kind] {
			if next, ok := f.open(s, moves[taken]); ok {
				push(next)
			}
		}
	}
}

// frugal reports whether the search has not yet visited the same spot with the same or fewer open
// moves taken. If it has, this spot can be skipped: whatever can follow it can follow that one too,
// since unused open moves do no harm.
func frugal(been map[spot][]string, s spot) bool {
	where := s
	where.taken = ""
	for _, taken := range been[where] {
		if covers(s.taken, taken) {
			return false
		}
	}
	been[where] = append(been[where], s.taken)
	return true
}

// covers reports whether each count of more is at least that of fewer.
func covers(more, fewer string) bool {
	for i := range len(more) {
		if more[i] < fewer[i] {
			return false
		}
	}
	return true
}
