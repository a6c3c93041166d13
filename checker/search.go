package checker

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"

	"lockquake/checker/internal/evidence"
)

// limits bound the search for an order. They count work and memory, not time, so that a verdict is
// the same on every machine.
type limits struct {
	accesses int  // accesses that may be tried, for one item
	memory   int  // about how many bytes the search may use
	steps    int  // steps that may be searched at once
	suggest  bool // try the recorded order, and count successors
	search   bool // search for another order
}

func defaultLimits() limits {
	return limits{accesses: 1_000_000, memory: 64 << 20, steps: 10_000, suggest: true, search: true}
}

// search looks for an order of steps that the model allows and that respects real time: a step that
// ended before another began comes before it. The recorded order respects real time, since the
// position of a step is that of one of its effects.
type search struct {
	start  string // the value at the begin of the history
	rule   rule
	steps  []step // decide sorts them into the recorded order
	limits limits

	model model
}

// order says whether an order of the steps exists.
type order int

// The answers to that question. The search gives up with undecided beyond its limits.
const (
	exists order = iota
	none
	undecided
)

// answer is the result of a search. If there is no order, successors are the steps that continued from
// one value, if that is the proof. Otherwise no order fits all steps that ended by the end of the
// step stuck, and misfit is the first step that the recorded order cannot place. All are positions
// in search.steps.
type answer struct {
	order         order
	stuck, misfit int
	successors    []int
}

// decide tries the recorded order first. If the model allows it, that is proof, and costs one pass.
// Next it counts the successors of values, which may prove that there is no order. Only then does
// it search.
//
// The search looks at prefixes of the history, not the whole. A history is linearizable only if
// each prefix is, and the recorded order has proved the prefixes up to its misfit. So if there is a
// contradiction, a prefix that is only a little longer usually shows it.
func (s *search) decide() answer {
	s.model.rule = s.rule
	slices.SortFunc(s.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	misfit := s.replay()
	if misfit == len(s.steps) {
		return answer{order: exists}
	}
	if s.limits.suggest {
		if successors := s.tooManySuccessors(); successors != nil {
			return answer{order: none, successors: successors}
		}
	}
	if !s.limits.search {
		return answer{order: undecided}
	}
	ends := s.ends(misfit)
	s.model.left = s.limits.accesses
	bad := -1
	good := 0 // prefixes that end before this one have an order
	for width := 1; bad < 0; width *= 2 {
		i := min(good+width, len(ends)) - 1
		switch s.fits(ends[i]) {
		case undecided:
			return answer{order: undecided}
		case none:
			bad = i
		case exists:
			if good = i + 1; good == len(ends) {
				return answer{order: exists}
			}
		}
	}
	for good < bad {
		i := good + (bad-good)/2
		v := s.fits(ends[i])
		if v == undecided {
			break // a longer prefix is evidence too
		}
		if v == none {
			bad = i
		} else {
			good = i + 1
		}
	}
	stuck := slices.IndexFunc(s.steps, func(x step) bool { return x.ret == ends[bad] })
	if ends[bad] == evidence.Forever {
		stuck = misfit
	}
	return answer{order: none, stuck: stuck, misfit: misfit}
}

// ends returns, in order, the ends of the steps that the recorded order does not prove, given the
// first position that it cannot place.
func (s *search) ends(misfit int) []int64 {
	first := int64(evidence.Forever)
	for i := misfit; i < len(s.steps); i++ {
		first = min(first, s.steps[i].ret)
	}
	var ends []int64
	for i := range s.steps {
		if s.steps[i].ret >= first {
			ends = append(ends, s.steps[i].ret)
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// replay returns the first position of the recorded order that the model does not allow, or the
// number of steps.
func (s *search) replay() int {
	if !s.limits.suggest {
		return 0
	}
	s.model.left = s.limits.accesses
	for i := range s.steps {
		s.model.left += len(s.steps[i].accesses) // one pass is always allowed
	}
	now, next := []state{{value: s.start}}, []state(nil)
	for i := range s.steps {
		next = s.model.step(next[:0], now, &s.steps[i], false)
		if len(next) == 0 {
			return i
		}
		now, next = next, now
	}
	return len(s.steps)
}

// fits asks porcupine whether the prefix of the history up to event end has an order. Steps that
// had begun and not ended by then may have happened or not; the output of their operations tells
// the model so. They cannot be left out, since others may have seen their effects.
//
// Sequence numbers serve as timestamps. Virtual time would not do: porcupine takes operations that
// touch at one instant for concurrent, and would accept a stale read there.
func (s *search) fits(end int64) order {
	var ops []porcupine.Operation
	for i := range s.steps {
		x := &s.steps[i]
		if x.call > end {
			continue
		}
		if len(ops) == s.limits.steps {
			return undecided
		}
		open := x.ret > end
		ops = append(ops, porcupine.Operation{Input: x, Output: open, Call: x.call, Return: x.ret})
	}
	// For each state that it reaches, porcupine keeps a bit for each operation.
	memory := s.limits.memory
	size := len(ops)/8 + 100
	m := porcupine.Model{
		Init: func() any { return []state{{value: s.start}} },
		Step: func(from, input, output any) (bool, any) {
			if s.model.left < 0 || memory < 0 {
				return false, nil // budget used up: end the search quickly
			}
			next := s.model.step(nil, from.([]state), input.(*step), output.(bool))
			if len(next) == 0 {
				return false, nil
			}
			memory -= size + 24*len(next)
			return true, next
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]state), b.([]state)) },
	}
	switch {
	case porcupine.CheckOperations(m, ops):
		return exists
	case s.model.left < 0 || memory < 0:
		return undecided
	default:
		return none
	}
}
