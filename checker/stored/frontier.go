package stored

import (
	"cmp"
	"math/bits"
	"slices"

	"lockquake/checker"
)

// frontier goes through the events in their order and keeps all spots at which
// the moves so far can have led, of those that differ only in the open moves
// taken the most frugal ones. What was under way happens as late as it can: not
// before an end asks for it. Where no spot is left there is no order, and the
// move that has just ended is returned.
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
				return checker.Unknown, nil // more are under way than a spot can count
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
	left   int       // spots that may still be looked at
	slots  [64]*move // what is under way
	busy   uint64    // the slots that are in use
	called []byte    // how many of each kind of open moves have been called
}

// pass returns where the search can stand when the move in a slot has ended.
// Spots with fewer open moves taken have their turn first, so that they are
// there when the others are compared with them.
func (f *frontier) pass(spots []spot, slot int) (after []spot) {
	been := map[spot][]string{}
	var queue [][]spot // by how many open moves are taken
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

// expand pushes the spots that are one move away, and keeps what the move in
// the slot has met where it did not fit.
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

// frugal reports whether the search has not yet been at a spot with the same or
// fewer open moves taken. If it has, there is nothing new to find: what can
// follow here can follow there, as moves that are left over do no harm.
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
