package checker

import (
	"math"
	"time"

	"lockquake/history"
)

// evidence is a history with what all checks derive from it, each computed once.
type evidence struct {
	*history.History
	sections  []*history.Section // in the order of their calls
	witnessed bool               // the resource recorded what took effect

	// Computed when a check first needs them.
	book     *ledger
	begun    []fault
	stops    map[string]stretches
	troubles stretches
	needed   int // see quorum
}

// newEvidence returns the evidence of a history, whose sections are given.
func newEvidence(h *history.History, sections []*history.Section) *evidence {
	return &evidence{History: h, sections: sections, witnessed: h.Witnessed()}
}

// Witnessed reports whether the resource recorded what took effect.
func (in *evidence) Witnessed() bool { return in.witnessed }

// endAt returns the time of the last event.
func (in *evidence) endAt() time.Duration {
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
func (in *evidence) effect(o *history.Op) effect {
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

// workEnd returns the event that ended the work of s: the body was left, or else the section ended.
func (in *evidence) workEnd(s *history.Section) (int64, time.Duration) {
	if s.Leave != 0 {
		return s.Leave, s.LeaveAt
	}
	return in.sectionEnd(s)
}

// sectionEnd returns the event that ended s: it returned, or its process crashed. A section without
// an end lasts to the end of the history.
func (in *evidence) sectionEnd(s *history.Section) (int64, time.Duration) {
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
func (in *evidence) waitEnd(s *history.Section) time.Duration {
	if s.Entered() {
		return s.EnterAt
	}
	_, at := in.sectionEnd(s)
	return at
}

// answerBound is how long a client waits for an answer if the history does not say.
const answerBound = time.Second

// answerTimeout returns how long a client waits for an answer of a lock server.
func (in *evidence) answerTimeout() time.Duration {
	if in.Meta.Answer != 0 {
		return in.Meta.Answer
	}
	return answerBound
}
