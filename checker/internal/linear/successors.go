package linear

import (
	"fmt"
	"slices"
	"strings"
)

// tooManySuccessors looks for a value from which more steps continued than the value occurred. That
// proves that no order of the steps exists. A step that first read a value and then left another
// one used the value up, so each such step needs an occurrence of its own: the start, or a step
// that left the value. For example, with a counter that starts at 0:
//
//	worker-1  reads 0, writes 1
//	worker-2  reads 0, writes 1
//	worker-3  reads 1, writes 2
//	0 occurred once and has two successors: one increment is lost
//
// This is counting only, so it works however many steps are concurrent, and it finds every lost
// increment of a counter. A history that it accepts may still be wrong. It returns the positions of
// the steps that continued from the value, up to the first one too many, nil if there is no such
// value.
func (s *Search) tooManySuccessors() []int {
	transitions := make([]transition, len(s.Steps))
	occurred := map[string]int{s.Start: 1}
	for i := range s.Steps {
		p := s.Steps[i].transition()
		transitions[i] = p
		for _, value := range p.to {
			if !p.reads || value != p.from {
				occurred[value]++
			}
		}
	}
	successors := map[string][]int{}
	for i, p := range transitions {
		if !p.reads || !p.leaves || slices.Contains(p.to, p.from) {
			continue
		}
		successors[p.from] = append(successors[p.from], i)
		if len(successors[p.from]) > occurred[p.from] {
			return successors[p.from]
		}
	}
	return nil
}

// transition is the change of the value by a step as a whole.
type transition struct {
	from   string // the value that it read first
	reads  bool   // from is known
	to     []string
	leaves bool // it certainly left one of the values in to
}

func (x *Step) transition() transition {
	var p transition
	if a := &x.Accesses[0]; !a.Op.Write() && !a.Unseen && !a.Maybe && !a.Refused {
		p.from, p.reads = a.Op.Value, true
	}
	for i := len(x.Accesses) - 1; i >= 0 && !p.leaves; i-- {
		if a := &x.Accesses[i]; a.Op.Write() && !a.Refused {
			p.to = append(p.to, a.Op.Value)
			p.leaves = !a.Maybe
		}
	}
	return p
}

// explainSuccessors says in one sentence which steps continued from one value, and returns their
// events.
func (s *Search) explainSuccessors(successors []int) (text string, events []int64) {
	from := s.Steps[successors[0]].Accesses[0].Op.Value
	const most = 3
	var named []string
	for _, i := range successors[max(0, len(successors)-most):] {
		named = append(named, s.Steps[i].describe())
		events = append(events, s.Steps[i].events()...)
	}
	if n := len(successors) - len(named); n > 0 {
		named = append(named, fmt.Sprintf("%d before them", n))
	}
	times := "once"
	switch n := len(successors) - 1; {
	case n == 0:
		if y := s.passed(from); y != nil {
			return fmt.Sprintf("%s replaced %q, which was the value only in the middle of %s", named[0], from, y.name()), events
		}
		return fmt.Sprintf("%s replaced %q, which was never the value: the item began with %q", named[0], from, s.Start), events
	case n > 1:
		times = fmt.Sprintf("%d times", n)
	}
	return fmt.Sprintf("%s each replaced %q, which was the value only %s", strings.Join(named, " and "), from, times), events
}

// passed returns a step that wrote the value and replaced it again, or nil.
func (s *Search) passed(value string) *Step {
	for i := range s.Steps {
		wrote := func(a Access) bool { return a.Op.Write() && !a.Refused && a.Op.Value == value }
		if x := &s.Steps[i]; slices.ContainsFunc(x.Accesses, wrote) {
			return x
		}
	}
	return nil
}
