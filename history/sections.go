package history

import (
	"fmt"
	"math"
	"time"
)

// Outcome is the result of an operation as far as the worker knows it.
type Outcome string

// The outcomes of an operation.
const (
	OutcomeOK   Outcome = "ok"   // it took effect
	OutcomeFail Outcome = "fail" // it did not
	OutcomeInfo Outcome = "info" // unknown
)

// Op is one read or write of the resource, as recorded by the worker and by the resource.
type Op struct {
	Request int64
	Worker  string
	Section int // number of the worker's section
	Kind    string
	Item    string
	Value   string // what a write wrote or a read returned; for a read without an answer, what the resource returned
	Token   int64
	If      *Condition // of a conditional write; nil: none

	Invoke, Return     int64 // sequence numbers; Return is 0 if there was no answer
	InvokeAt, ReturnAt time.Duration
	Outcome            Outcome

	// The resource's own record. If the history has one (see History.Witnessed) and Applied is 0,
	// the request never reached the resource.
	Applied   int64
	AppliedAt time.Duration
	Accepted  bool
	Prior     string // value before a write
	Mark      int64  // highest token that the resource had seen after it
}

// Write reports whether the operation is a write.
func (o *Op) Write() bool { return o.Kind == "write" }

// Section is one call of a strategy, from the call to the return.
type Section struct {
	Worker string
	N      int      // from 1, by worker
	Key    string   // the lock's key
	Unit   string   // the unit of work that it was asked for, if that has to be done once
	Shared bool     // it only reads, and shares the lock with other such sections
	Others []string // the other keys that the same call of the strategy asked for
	Again  bool     // it repeats the work of the worker's previous section, which had no effect
	Token  int64

	Call, Enter, Leave, Return         int64 // sequence numbers; 0: did not happen
	CallAt, EnterAt, LeaveAt, ReturnAt time.Duration
	Told                               int64 // when the holder learned of the loss; 0: never
	ToldAt                             time.Duration
	Crashed                            bool  // its process ended before it returned
	Crash                              int64 // the event of that; 0: none
	CrashAt                            time.Duration

	BodyErr string // error of the body
	Class   Class  // answer of the strategy
	Err     string
	Ops     []*Op // in the order of invocation; some may be invoked after Return
	Grant   int64 // Seq of the last grant to this worker and key that was asked for after Call and given before Enter; 0: none
	GrantAt time.Duration
}

// Entered reports whether the strategy let the worker in.
func (s *Section) Entered() bool { return s.Enter != 0 }

// Witnessed reports whether the history has the resource's own record. If so, an operation without
// an applied event never reached the resource.
func (h *History) Witnessed() bool {
	if h.Meta.Part != nil {
		return h.Meta.Part.Witnessed
	}
	for i := range h.Events {
		if h.Events[i].Type == Applied {
			return true
		}
	}
	return false
}

// Sections returns the sections of the history, in the order of their calls. It returns an error if
// the events contradict each other: they are out of order, a return has no call, an operation is
// outside any section, a crashed worker acts, an answer or a request contradicts the resource's
// record, or a grant is given twice or ends without having been given.
func (h *History) Sections() ([]*Section, error) { return new(Sectioner).Sections(h) }

// Sectioner makes the sections of one history after another, all in the same memory. Its zero value is ready for use.
type Sectioner struct{ builder sectionBuilder }

// Sections is [History.Sections]. The sections are valid until the next call.
func (r *Sectioner) Sections(h *History) ([]*Section, error) {
	sections, err := r.builder.of(h.Events, 1)
	if err != nil || !h.Witnessed() {
		return sections, err
	}
	for _, s := range sections {
		for _, o := range s.Ops {
			if o.Outcome == OutcomeOK && o.Applied == 0 {
				return nil, fmt.Errorf("history: event %d: request %d is ok, but the resource never saw it", o.Return, o.Request)
			}
		}
	}
	return sections, nil
}

// SectionsOfLock returns the sections of one lock, whose events are given: those of a [Log]. It
// returns the errors that Sections returns, but accepts gaps in the sequence numbers.
func SectionsOfLock(events []Event) ([]*Section, error) {
	return new(sectionBuilder).of(events, math.MaxInt64)
}
