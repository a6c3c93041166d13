package linear

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// Explain says in one sentence which step cannot be placed, and returns the events of the steps
// around it.
func (s *Search) Explain(a Answer) (text string, events []int64) {
	if a.successors != nil {
		return s.explainSuccessors(a.successors)
	}
	stuck, misfit := &s.Steps[a.stuck], &s.Steps[a.misfit]
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
		if x := &s.Steps[i]; x.Return > misfit.Call && x != writer {
			events = append(events, x.events()...)
			n++
		}
	}
	return text, events
}

// reason says why the recorded order fails at the step misfit. If the step read an unexpected
// value, writer is the step that wrote the actual one.
func (s *Search) reason(misfit int) (why string, writer *Step) {
	now, next := []state{s.start()}, []state(nil)
	s.model.left = math.MaxInt // a replay is one pass
	for i := range misfit {
		next = s.model.step(next[:0], now, &s.Steps[i], false)
		now, next = next, now
	}
	x := &s.Steps[misfit]
	if len(now) == 0 {
		return "fits nowhere", nil // the replay did not get this far
	}
	at := now[0]
	for i := range x.Accesses {
		a := &x.Accesses[i]
		after, ok := s.Rule.take(at, a)
		if ok {
			at = after
			continue
		}
		allowed := s.Rule.allows(at, a.Op)
		switch {
		case a.Op.If != nil && s.Rule.allowsToken(at.mark, a.Op) && a.Refused == allowed:
			return fmt.Sprintf("was %s, though its condition was %s and the item had %s", accepted(!a.Refused), conditionText(a.Op.If), at.text()), nil
		case a.Refused:
			return fmt.Sprintf("was refused, though the highest token so far was %d", at.mark), nil
		case !allowed && a.Op.Token == 0:
			return "was accepted without a token", nil
		case !allowed:
			return fmt.Sprintf("was accepted, though the highest token so far was %d", at.mark), nil
		}
		why = fmt.Sprintf("read %q although the value was %q", a.Op.Value, at.value)
		for i := misfit - 1; i >= 0; i-- {
			if y := &s.Steps[i]; y.wrote() {
				return why + ", written by " + y.name(), y
			}
		}
		return why, nil
	}
	return "fits nowhere", nil
}

// accepted returns the word for the answer of the resource.
func accepted(yes bool) string {
	if yes {
		return "accepted"
	}
	return "refused"
}

// conditionText returns a condition in words.
func conditionText(c *history.Condition) string {
	if c.By == "value" {
		return fmt.Sprintf("the value %q", c.Value)
	}
	return fmt.Sprintf("the version %d", c.Version)
}

// text returns the state of the item in words.
func (s state) text() string {
	return fmt.Sprintf("the value %q and the version %d", s.value, s.version)
}

// wrote reports whether the step has a write that was not refused.
func (x *Step) wrote() bool {
	return slices.ContainsFunc(x.Accesses, func(a Access) bool { return a.Op.Write() && !a.Refused })
}

// describe returns the section of the step, its token, and what it did.
func (x *Step) describe() string {
	var did []string
	for i := range x.Accesses {
		a := &x.Accesses[i]
		verb := "read"
		if a.Op.Write() {
			verb = "wrote"
		}
		text := fmt.Sprintf("%s %q", verb, a.Op.Value)
		if a.Refused {
			text += " (refused)"
		}
		if a.Maybe {
			text += " (perhaps)"
		}
		did = append(did, text)
	}
	const most = 6
	if len(did) > most {
		did = append(did[:most], "...")
	}
	token := ""
	if t := x.Accesses[0].Op.Token; t != 0 {
		token = fmt.Sprintf("token %d, ", t)
	}
	return fmt.Sprintf("%s (%s%s)", x.name(), token, strings.Join(did, ", "))
}

// name returns the name of the section of the step, or of the read of the final value.
func (x *Step) name() string {
	if x.Section == nil {
		return "the end of the run"
	}
	return evidence.NameOf(x.Section)
}

// events returns the events of the step, and those of entering and leaving its section.
func (x *Step) events() []int64 {
	var seqs []int64
	if x.Section != nil {
		seqs = append(seqs, x.Section.Enter, x.Section.Leave)
	}
	const most = 12
	for i := range x.Accesses[:min(most, len(x.Accesses))] {
		seqs = append(seqs, evidence.EventsOf(x.Accesses[i].Op)...)
	}
	return seqs
}
