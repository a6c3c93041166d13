package checker

import (
	"fmt"
	"math"
	"slices"
	"time"

	"lockquake/history"
)

// input is a history with what all checks derive from it, computed once.
type input struct {
	*history.History
	sections  []*history.Section
	witnessed bool
	limits    limits

	// Computed when a check first needs them.
	book     *ledger
	begun    []fault
	stops    map[string]stretches
	troubles stretches
	needed   int // see quorum
	counted  map[violation]bool
}

func newInput(h *history.History, sections []*history.Section, l limits) *input {
	return &input{History: h, sections: sections, witnessed: h.Witnessed(), limits: l}
}

// endAt returns the time of the last event.
func (in *input) endAt() time.Duration {
	if len(in.Events) == 0 {
		return 0
	}
	return in.Events[len(in.Events)-1].At
}

// forever is the sequence number of an event that never happened.
const forever = math.MaxInt64

// effect is the result of an operation at the resource.
type effect int

const (
	dropped  effect = iota // it never reached the resource
	accepted               // it took effect
	refused                // the resource declined it
	maybe                  // nobody knows
)

// effect returns what o did. The resource's own record decides if there is one, otherwise the
// worker's report.
func (in *input) effect(o *history.Op) effect {
	if in.witnessed {
		switch {
		case o.Applied == 0:
			return dropped
		case o.Accepted:
			return accepted
		default:
			return refused
		}
	}
	switch o.Outcome {
	case history.OutcomeOK:
		return accepted
	case history.OutcomeFail:
		return refused
	case history.OutcomeInfo:
	}
	return maybe
}

// effectSeq returns the event at which o took effect, by the best record that there is: the
// resource's, else the worker's return, else its call.
func effectSeq(o *history.Op) int64 {
	switch {
	case o.Applied != 0:
		return o.Applied
	case o.Return != 0 && o.Outcome != history.OutcomeInfo:
		return o.Return
	default:
		return o.Invoke
	}
}

// settledBy returns the first event by which o has certainly taken its effect, or forever. An
// unknown outcome does not say when that is.
func settledBy(o *history.Op) int64 {
	switch {
	case o.Return != 0 && o.Outcome != history.OutcomeInfo:
		return o.Return
	case o.Applied != 0:
		return o.Applied
	default:
		return forever
	}
}

// span returns when o may have taken effect: the exact event if the resource recorded it, else the
// interval from call to return.
func span(o *history.Op) interval {
	if o.Applied != 0 {
		return interval{from: o.Applied, to: o.Applied, fromAt: o.AppliedAt, toAt: o.AppliedAt}
	}
	return interval{from: o.Invoke, to: o.Return, fromAt: o.InvokeAt, toAt: o.ReturnAt}
}

// workEnd returns the event that ended the work of s: the body was left, or else the section ended.
func (in *input) workEnd(s *history.Section) (int64, time.Duration) {
	if s.Leave != 0 {
		return s.Leave, s.LeaveAt
	}
	return in.sectionEnd(s)
}

// sectionEnd returns the event that ended s: it returned, or its process crashed. A section without
// an end lasts to the end of the history.
func (in *input) sectionEnd(s *history.Section) (int64, time.Duration) {
	switch {
	case s.Return != 0:
		return s.Return, s.ReturnAt
	case s.Crashed:
		return s.Crash, s.CrashAt
	default:
		return forever, in.endAt()
	}
}

// waitEnd returns when s stopped waiting for its lock: it was let in, or the section ended.
func (in *input) waitEnd(s *history.Section) time.Duration {
	if s.Entered() {
		return s.EnterAt
	}
	_, at := in.sectionEnd(s)
	return at
}

// answerTimeout returns how long a client waits for an answer of a lock server.
func (in *input) answerTimeout() time.Duration {
	if in.Meta.Answer != 0 {
		return in.Meta.Answer
	}
	return answerBound
}

// eventsOf lists the events of some operations.
func eventsOf(ops ...*history.Op) []int64 {
	var seqs []int64
	for _, o := range ops {
		seqs = append(seqs, o.Invoke, o.Applied, o.Return)
	}
	return seqs
}

// nameOf returns the name of a section in findings.
func nameOf(s *history.Section) string {
	return fmt.Sprintf("%s's section %d", s.Worker, s.N)
}

// groups splits a list by a key, in the order in which the keys first occur. A list with only one
// key, the usual case, is returned as its only group without a copy.
func groups[T any](list []T, key func(T) string) [][]T {
	if len(list) == 0 {
		return nil
	}
	first := key(list[0])
	if !slices.ContainsFunc(list, func(x T) bool { return key(x) != first }) {
		return [][]T{list}
	}
	index := map[string]int{}
	var out [][]T
	for _, x := range list {
		k := key(x)
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}
