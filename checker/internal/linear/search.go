package linear

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"lockquake/checker/internal/evidence"
)

// Limits bound the search for an order. They count work and memory, not time, so that a verdict is
// the same on every machine.
type Limits struct {
	Accesses int  // accesses that may be tried, for one item
	Memory   int  // about how many bytes the search may use
	Steps    int  // steps that may be searched at once
	Suggest  bool // try the recorded order, and count successors
	Search   bool // search for another order
}

// DefaultLimits returns the limits of the checks.
func DefaultLimits() Limits {
	return Limits{Accesses: 1_000_000, Memory: 64 << 20, Steps: 10_000, Suggest: true, Search: true}
}

// Search looks for an order of steps that the model allows and that respects real time: a step that
// ended before another began comes before it. The recorded order respects real time, since the
// position of a step is that of one of its effects.
type Search struct {
	Start  string // the value at the begin of the history
	Exists bool   // the item had this value; otherwise it did not exist
	Rule   Rule
	Steps  []Step // Decide sorts them into the recorded order
	Limits Limits

	model model
}

// Order is the answer to the question whether an order of the steps exists.
type Order int

// The three answers. Beyond its limits the search gives up, and the answer is Undecided.
const (
	Exists Order = iota
	None
	Undecided
)

// Answer is the result of a search. If there is no order, successors are the steps that continued
// from one value, if that is the proof. Otherwise no order fits all steps that ended by the end of the
// step stuck, and misfit is the first step that the recorded order cannot place. All are positions
// in Search.Steps.
type Answer struct {
	Order         Order
	stuck, misfit int
	successors    []int
}

// Decide tries the recorded order first. If the model allows it, that is proof, and costs one pass.
// Next it counts the successors of values, which may prove that there is no order. Only then does
// it search.
//
// The search looks at prefixes of the history, not the whole. A history is linearizable only if
// each prefix is, and the recorded order has proved the prefixes up to its misfit. So if there is a
// contradiction, a prefix that is only a little longer usually shows it.
func (s *Search) Decide() Answer {
	s.model.rule = s.Rule
	evidence.SortBy(s.Steps, func(x *Step) int64 { return x.At })
	misfit := s.replay()
	if misfit == len(s.Steps) {
		return Answer{Order: Exists}
	}
	if s.Limits.Suggest {
		if successors := s.tooManySuccessors(); successors != nil {
			return Answer{Order: None, successors: successors}
		}
	}
	if !s.Limits.Search {
		return Answer{Order: Undecided}
	}
	ends := s.ends(misfit)
	s.model.left = s.Limits.Accesses
	bad := -1
	good := 0 // prefixes that end before this one have an order
	for width := 1; bad < 0; width *= 2 {
		i := min(good+width, len(ends)) - 1
		switch s.fits(ends[i]) {
		case Undecided:
			return Answer{Order: Undecided}
		case None:
			bad = i
		case Exists:
			if good = i + 1; good == len(ends) {
				return Answer{Order: Exists}
			}
		}
	}
	for good < bad {
		i := good + (bad-good)/2
		v := s.fits(ends[i])
		if v == Undecided {
			break // a longer prefix is evidence too
		}
		if v == None {
			bad = i
		} else {
			good = i + 1
		}
	}
	stuck := slices.IndexFunc(s.Steps, func(x Step) bool { return x.Return == ends[bad] })
	if ends[bad] == evidence.Forever {
		stuck = misfit
	}
	return Answer{Order: None, stuck: stuck, misfit: misfit}
}

// ends returns, in order, the ends of the steps that the recorded order does not prove, given the
// first position that it cannot place.
func (s *Search) ends(misfit int) []int64 {
	first := int64(evidence.Forever)
	for i := misfit; i < len(s.Steps); i++ {
		first = min(first, s.Steps[i].Return)
	}
	var ends []int64
	for i := range s.Steps {
		if s.Steps[i].Return >= first {
			ends = append(ends, s.Steps[i].Return)
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// start returns the state at the begin of the history.
func (s *Search) start() state {
	start := state{value: s.Start}
	if s.Rule.Conditions && s.Exists {
		start.version = 1
	}
	return start
}

// replay returns the first position of the recorded order that the model does not allow, or the
// number of steps.
func (s *Search) replay() int {
	if !s.Limits.Suggest {
		return 0
	}
	s.model.left = s.Limits.Accesses
	for i := range s.Steps {
		s.model.left += len(s.Steps[i].Accesses) // one pass is always allowed
	}
	now, next := []state{s.start()}, []state(nil)
	for i := range s.Steps {
		next = s.model.step(next[:0], now, &s.Steps[i], false)
		if len(next) == 0 {
			return i
		}
		now, next = next, now
	}
	return len(s.Steps)
}

// fits asks porcupine whether the prefix of the history up to event end has an order. Steps that
// had begun and not ended by then may have happened or not; the output of their operations tells
// the model so. They cannot be left out, since others may have seen their effects.
//
// Sequence numbers serve as timestamps. Virtual time would not do: porcupine takes operations that
// touch at one instant for concurrent, and would accept a stale read there.
func (s *Search) fits(end int64) Order {
	var ops []porcupine.Operation
	for i := range s.Steps {
		x := &s.Steps[i]
		if x.Call > end {
			continue
		}
		if len(ops) == s.Limits.Steps {
			return Undecided
		}
		open := x.Return > end
		ops = append(ops, porcupine.Operation{Input: x, Output: open, Call: x.Call, Return: x.Return})
	}
	// For each state that it reaches, porcupine keeps a bit for each operation.
	memory := s.Limits.Memory
	size := len(ops)/8 + 100
	m := porcupine.Model{
		Init: func() any { return []state{s.start()} },
		Step: func(from, input, output any) (bool, any) {
			if s.model.left < 0 || memory < 0 {
				return false, nil // budget used up: end the search quickly
			}
			next := s.model.step(nil, from.([]state), input.(*Step), output.(bool))
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
		return Exists
	case s.model.left < 0 || memory < 0:
		return Undecided
	default:
		return None
	}
}
