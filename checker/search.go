package checker

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

// limits bound the search for an order. They count work and memory, not time,
// so that a verdict is the same on every machine.
type limits struct {
	accesses int  // accesses that may be tried, for one item
	memory   int  // bytes that the search may remember, about
	steps    int  // steps that may be searched at once
	suggest  bool // try the suggested order, and count
	search   bool // search for another
}

func defaultLimits() limits {
	return limits{accesses: 1_000_000, memory: 64 << 20, steps: 10_000, suggest: true, search: true}
}

// search looks for an order of steps that the model allows and that respects
// real time: what ended before something else began is before it. The
// suggested order does so by itself, since a step is where one of its
// effects was, between its beginning and its end.
type search struct {
	model  model
	start  state
	steps  []step // in the suggested order
	limits limits
}

// answer is what a search came to. On Invalid, stuck is the first step to end
// by which no order is left, and misfit the first that the suggested order
// cannot place; or heirs, if that is reason enough, are the steps that went on
// from one value. All are positions in search.steps.
type answer struct {
	verdict       Verdict
	stuck, misfit int
	heirs         []int
}

// decide tries the suggested order first: if the model allows it, it is proof
// and costs one pass. Next it counts values, which can be proof of the
// contrary. Only then it searches.
//
// The search asks about beginnings of the history, not the whole. A history
// is linearizable only if each of its beginnings is, and the suggested order
// has proved them up to its misfit; so the contradiction, if there is one,
// usually is in a beginning just a little longer.
func (s *search) decide() answer {
	slices.SortFunc(s.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	misfit := s.replay()
	if misfit == len(s.steps) {
		return answer{verdict: Valid}
	}
	if s.limits.suggest {
		if heirs := s.heirs(); heirs != nil {
			return answer{verdict: Invalid, heirs: heirs}
		}
	}
	if !s.limits.search {
		return answer{verdict: Unknown}
	}
	ends := s.ends(misfit)
	s.model.left = s.limits.accesses
	bad := -1
	good := 0 // ends before this one are known to be good
	for width := 1; bad < 0; width *= 2 {
		i := min(good+width, len(ends)) - 1
		switch s.fits(ends[i]) {
		case Unknown:
			return answer{verdict: Unknown}
		case Invalid:
			bad = i
		case Valid:
			if good = i + 1; good == len(ends) {
				return answer{verdict: Valid}
			}
		}
	}
	for good < bad {
		i := good + (bad-good)/2
		v := s.fits(ends[i])
		if v == Unknown {
			break // a longer beginning is evidence too
		}
		if v == Invalid {
			bad = i
		} else {
			good = i + 1
		}
	}
	stuck := slices.IndexFunc(s.steps, func(x step) bool { return x.ret == ends[bad] })
	if ends[bad] == forever {
		stuck = misfit
	}
	return answer{verdict: Invalid, stuck: stuck, misfit: misfit}
}

// ends lists, in order, the ends of steps up to which the suggested order
// proves nothing, given the first position that it cannot place.
func (s *search) ends(misfit int) []int64 {
	first := int64(forever)
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

// replay returns the first position of the suggested order at which the
// model cannot go on, or the number of steps.
func (s *search) replay() int {
	if !s.limits.suggest {
		return 0
	}
	s.model.left = s.limits.accesses
	for i := range s.steps {
		s.model.left += len(s.steps[i].accesses) // one pass is always granted
	}
	now, next := []state{s.start}, []state(nil)
	for i := range s.steps {
		next = s.model.step(next[:0], now, &s.steps[i], false)
		if len(next) == 0 {
			return i
		}
		now, next = next, now
	}
	return len(s.steps)
}

// fits asks porcupine whether the history makes sense as it stood when the
// event end had happened. Steps that had begun and not ended by then may have
// taken place or not: for the model, that is their output. (Left out instead,
// they would be missed by those who saw their effect.)
//
// Sequence numbers serve as timestamps. Virtual time would not do: porcupine
// takes what touches at one instant for concurrent and would accept a stale
// read there.
func (s *search) fits(end int64) Verdict {
	var ops []porcupine.Operation
	for i := range s.steps {
		x := &s.steps[i]
		if x.call > end {
			continue
		}
		if len(ops) == s.limits.steps {
			return Unknown
		}
		open := x.ret > end
		ops = append(ops, porcupine.Operation{Input: x, Output: open, Call: x.call, Return: x.ret})
	}
	// For each state that it reaches, porcupine keeps a bit for each operation.
	memory := s.limits.memory
	size := len(ops)/8 + 100
	m := porcupine.Model{
		Init: func() any { return []state{s.start} },
		Step: func(from, input, output any) (bool, any) {
			if s.model.left < 0 || memory < 0 {
				return false, nil // used up: run out of the search as fast as it goes
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
		return Valid
	case s.model.left < 0 || memory < 0:
		return Unknown
	default:
		return Invalid
	}
}
