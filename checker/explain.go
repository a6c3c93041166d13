package checker

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lockquake/checker/internal/evidence"
)

// explain says in one sentence which step cannot be placed, and returns the events of the steps
// around it.
func (s *search) explain(a answer) (text string, events []int64) {
	if a.successors != nil {
		return s.explainSuccessors(a.successors)
	}
	stuck, misfit := &s.steps[a.stuck], &s.steps[a.misfit]
	text = stuck.describe()
	why, writer := s.reason(a.misfit)
	if misfit == stuck {
		text += " " + why
	} else {
		text += fmt.Sprintf(" fits nowhere; by the record %s %s", misfit.describe(), why)
	}
	events = append(stuck.events(), misfit.events()...)
	if writer != nil {
		events = append(events, writer.events()...)
	}
	// Concurrent steps belong to the story, the nearest first.
	const near = 6
	for i, n := a.misfit-1, 0; i >= 0 && n < near; i-- {
		if x := &s.steps[i]; x.ret > misfit.call && x != writer {
			events = append(events, x.events()...)
			n++
		}
	}
	return text, events
}

// reason says why the recorded order fails at the step misfit. If the step read an unexpected
// value, writer is the step that wrote the actual one.
func (s *search) reason(misfit int) (why string, writer *step) {
	now, next := []state{{value: s.start}}, []state(nil)
	s.model.left = math.MaxInt // a replay is one pass
	for i := range misfit {
		next = s.model.step(next[:0], now, &s.steps[i], false)
		now, next = next, now
	}
	x := &s.steps[misfit]
	if len(now) == 0 {
		return "fits nowhere", nil // the replay did not get this far
	}
	at := now[0]
	for i := range x.accesses {
		a := &x.accesses[i]
		after, ok := s.rule.take(at, a)
		if ok {
			at = after
			continue
		}
		allowed := s.rule.allows(at.mark, a.op)
		switch {
		case a.refused:
			return fmt.Sprintf("was refused, though the highest token so far was %d", at.mark), nil
		case !allowed && a.op.Token == 0:
			return "was accepted without a token", nil
		case !allowed:
			return fmt.Sprintf("was accepted, though the highest token so far was %d", at.mark), nil
		}
		why = fmt.Sprintf("read %q where %q stood", a.op.Value, at.value)
		for i := misfit - 1; i >= 0; i-- {
			if y := &s.steps[i]; y.wrote() {
				return why + ", written by " + evidence.NameOf(y.section), y
			}
		}
		return why, nil
	}
	return "fits nowhere", nil
}

// wrote reports whether the step has a write that was not refused.
func (x *step) wrote() bool {
	return slices.ContainsFunc(x.accesses, func(a access) bool { return a.op.Write() && !a.refused })
}

// describe returns the section of the step, its token, and what it did.
func (x *step) describe() string {
	var did []string
	for i := range x.accesses {
		a := &x.accesses[i]
		verb := "read"
		if a.op.Write() {
			verb = "wrote"
		}
		text := fmt.Sprintf("%s %q", verb, a.op.Value)
		if a.refused {
			text += " (refused)"
		}
		if a.maybe {
			text += " (perhaps)"
		}
		did = append(did, text)
	}
	const most = 6
	if len(did) > most {
		did = append(did[:most], "...")
	}
	token := ""
	if t := x.accesses[0].op.Token; t != 0 {
		token = fmt.Sprintf("token %d, ", t)
	}
	return fmt.Sprintf("%s (%s%s)", evidence.NameOf(x.section), token, strings.Join(did, ", "))
}

// events returns the events of the step, and those of entering and leaving its section.
func (x *step) events() []int64 {
	seqs := []int64{x.section.Enter, x.section.Leave}
	const most = 12
	for i := range x.accesses[:min(most, len(x.accesses))] {
		seqs = append(seqs, evidence.EventsOf(x.accesses[i].op)...)
	}
	return seqs
}
