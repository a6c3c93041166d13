package checker

import (
	"fmt"
	"slices"
	"strings"
)

// heirs looks for the plainest reason why no order of steps can exist: more
// of them went on from a value than the value ever came up. A step that read
// a value first and left another one used it up, and each such step takes a
// coming of its own: the start, or a step that left the value.
//
// That is a matter of counting, however many steps ran at once, and it finds
// every lost increment of a counter. What it does not find may still be
// wrong. The answer is the positions of the steps that went on from one value,
// up to the first that was one too many; nil if there is no such value.
func (s *search) heirs() []int {
	passages := make([]passage, len(s.steps))
	came := map[string]int{s.start.value: 1}
	for i := range s.steps {
		p := s.steps[i].passage()
		passages[i] = p
		for _, value := range p.to {
			if !p.reads || value != p.from {
				came[value]++
			}
		}
	}
	went := map[string][]int{}
	for i, p := range passages {
		if !p.reads || !p.leaves || slices.Contains(p.to, p.from) {
			continue
		}
		went[p.from] = append(went[p.from], i)
		if len(went[p.from]) > came[p.from] {
			return went[p.from]
		}
	}
	return nil
}

// passage is what a step did to the value as a whole.
type passage struct {
	from   string // value that it found
	reads  bool   // it says what it found
	to     []string
	leaves bool // it certainly left one of those
}

func (x *step) passage() passage {
	var p passage
	if a := &x.accesses[0]; !a.op.Write() && !a.unseen && !a.maybe && !a.refused {
		p.from, p.reads = a.op.Value, true
	}
	for i := len(x.accesses) - 1; i >= 0 && !p.leaves; i-- {
		if a := &x.accesses[i]; a.op.Write() && !a.refused {
			p.to = append(p.to, a.op.Value)
			p.leaves = !a.maybe
		}
	}
	return p
}

// explainHeirs says in one sentence which steps share one value, and lists
// their events.
func (s *search) explainHeirs(heirs []int) (text string, events []int64) {
	from := s.steps[heirs[0]].accesses[0].op.Value
	const most = 3
	var named []string
	for _, i := range heirs[max(0, len(heirs)-most):] {
		named = append(named, s.steps[i].describe())
		events = append(events, s.steps[i].events()...)
	}
	if n := len(heirs) - len(named); n > 0 {
		named = append(named, fmt.Sprintf("%d before them", n))
	}
	times := "once"
	if n := len(heirs) - 1; n > 1 {
		times = fmt.Sprintf("%d times", n)
	}
	return fmt.Sprintf("%s went on from %q, which came up only %s", strings.Join(named, " and "), from, times), events
}
