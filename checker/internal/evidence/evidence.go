package evidence

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lockquake/history"
)

// Evidence is a history with what all checks derive from it, each computed once.
type Evidence struct {
	*history.History
	Sections  []*history.Section // in the order of their calls
	witnessed bool               // the resource recorded what took effect
	over      time.Duration      // when the run of a part was over

	// Computed when a check first needs them.
	book     *Ledger
	begun    []Fault
	common   []Fault            // of no worker and of no link of a worker
	others   map[string][]Fault // the rest, by worker
	workers  map[string]int
	byKey    map[string][]*history.Section
	finals   map[string]*history.Event
	held     map[string]Stretches // by key
	stops    map[string]Stretches
	hindered map[string]Stretches // by worker
	troubles Stretches
	taken    []time.Duration // when a new primary took over
	frozen   Stretches       // when the servers of the lock were stopped
	needed   int             // see Quorum
}

// New returns the evidence of a history, whose sections are given.
func New(h *history.History, sections []*history.Section) *Evidence {
	return &Evidence{History: h, Sections: sections, witnessed: h.Witnessed()}
}

// NewWhole returns the evidence of a run whose events are judged lock by lock. Its history has only the
// events that belong to no lock: the faults. Witnessed says whether the resource recorded what took effect.
func NewWhole(h *history.History, witnessed bool) *Evidence {
	in := &Evidence{History: h, witnessed: witnessed, over: h.Meta.End, needed: 1, hindered: map[string]Stretches{}}
	in.sortFaults()
	return in
}

// Part returns the evidence of the events of one lock, which has the faults of the whole run.
func (in *Evidence) Part(h *history.History, sections []*history.Section) *Evidence {
	return &Evidence{
		History: h, Sections: sections, witnessed: in.witnessed, over: in.over, needed: in.needed,
		begun: in.Faults(), common: in.common, others: in.others, workers: in.workers, stops: in.Stopped(), troubles: in.Troubled(), taken: in.Takeovers(), frozen: in.serversStopped(), hindered: in.hindered,
	}
}

// Event returns the event with a sequence number. It must be there.
func (in *Evidence) Event(seq int64) *history.Event {
	i, _ := slices.BinarySearchFunc(in.Events, seq, func(e history.Event, seq int64) int { return cmp.Compare(e.Seq, seq) })
	return &in.Events[i]
}

// Witnessed reports whether the resource recorded what took effect.
func (in *Evidence) Witnessed() bool { return in.witnessed }

// EndAt returns the time of the last event.
func (in *Evidence) EndAt() time.Duration {
	if in.over > 0 {
		return in.over
	}
	if len(in.Events) == 0 {
		return 0
	}
	return in.Events[len(in.Events)-1].At
}

// OfLock returns the sections of one lock, in the order of their calls.
func (in *Evidence) OfLock(key string) []*history.Section {
	if in.byKey == nil {
		in.byKey = map[string][]*history.Section{}
		for _, s := range in.Sections {
			in.byKey[s.Key] = append(in.byKey[s.Key], s)
		}
	}
	return in.byKey[key]
}

// Final returns the event with the value of an item at the end, nil if the history has none.
func (in *Evidence) Final(item string) *history.Event {
	if in.finals == nil {
		in.finals = map[string]*history.Event{}
		for i := range in.Events {
			if e := &in.Events[i]; e.Type == history.Final {
				in.finals[e.Key] = e
			}
		}
	}
	return in.finals[item]
}

// Forever is the sequence number of an event that never happened.
const Forever = math.MaxInt64

// Effect is the result of an operation at the resource.
type Effect int

// The four results.
const (
	Dropped  Effect = iota // it never reached the resource
	Accepted               // it took effect
	Refused                // the resource declined it
	Maybe                  // nobody knows
)

// Effect returns what o did. The resource's own record decides if there is one, otherwise the
// worker's report.
func (in *Evidence) Effect(o *history.Op) Effect {
	if in.witnessed {
		switch {
		case o.Applied == 0:
			return Dropped
		case o.Accepted:
			return Accepted
		default:
			return Refused
		}
	}
	switch o.Outcome {
	case history.OutcomeOK:
		return Accepted
	case history.OutcomeFail:
		if in.refuses(o) {
			return Refused
		}
		return Dropped
	case history.OutcomeInfo:
	}
	return Maybe
}

// refuses reports whether the resource may refuse o. Otherwise an operation that failed was not executed, for example because
// its transaction was rolled back.
func (in *Evidence) refuses(o *history.Op) bool {
	return in.Meta.Fence != "" && in.Meta.Fence != "off" || o.If != nil || history.IsKeyed(o.Item)
}

// EffectSeq returns the event at which o took effect, by the best record that there is: the
// resource's, else the worker's return, else its call.
func EffectSeq(o *history.Op) int64 {
	switch {
	case o.Applied != 0:
		return o.Applied
	case o.Return != 0 && o.Outcome != history.OutcomeInfo:
		return o.Return
	default:
		return o.Invoke
	}
}

// SettledBy returns the first event by which o has certainly taken its effect, or Forever. An
// unknown outcome does not say when that is.
func SettledBy(o *history.Op) int64 {
	switch {
	case o.Return != 0 && o.Outcome != history.OutcomeInfo:
		return o.Return
	case o.Applied != 0:
		return o.Applied
	default:
		return Forever
	}
}

// WorkEnd returns the event that ended the work of s: the body was left, or else the section ended.
func (in *Evidence) WorkEnd(s *history.Section) (int64, time.Duration) {
	if s.Leave != 0 {
		return s.Leave, s.LeaveAt
	}
	return in.SectionEnd(s)
}

// SectionEnd returns the event that ended s: it returned, or its process crashed. A section without
// an end lasts to the end of the history.
func (in *Evidence) SectionEnd(s *history.Section) (int64, time.Duration) {
	switch {
	case s.Return != 0:
		return s.Return, s.ReturnAt
	case s.Crashed:
		return s.Crash, s.CrashAt
	default:
		return Forever, in.EndAt()
	}
}

// WaitEnd returns when s stopped waiting for its lock: it was let in, or the section ended.
func (in *Evidence) WaitEnd(s *history.Section) time.Duration {
	if s.Entered() {
		return s.EnterAt
	}
	_, at := in.SectionEnd(s)
	return at
}

// answerBound is how long a client waits for an answer if the history does not say.
const answerBound = time.Second

// AnswerTimeout returns how long a client waits for an answer of a lock server.
func (in *Evidence) AnswerTimeout() time.Duration {
	if in.Meta.Answer != 0 {
		return in.Meta.Answer
	}
	return answerBound
}
