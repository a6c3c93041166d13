package history

import (
	"fmt"
	"time"
)

// Outcome is what a worker knows of one of its operations.
type Outcome string

// The outcomes of an operation.
const (
	OutcomeOK   Outcome = "ok"   // it took effect
	OutcomeFail Outcome = "fail" // it did not
	OutcomeInfo Outcome = "info" // nobody said
)

// Op is one read or write of the resource, seen from both sides.
type Op struct {
	Request int64
	Worker  string
	Section int // number of the worker's section it belongs to
	Kind    string
	Item    string
	Value   string // what a write wrote; what a read returned (its own side if it never heard: what it saw)
	Token   int64

	Invoke, Return     int64 // sequence numbers; Return 0: never heard of again
	InvokeAt, ReturnAt time.Duration
	Outcome            Outcome

	// The resource's own record. Applied 0: the request never reached it, if
	// the history has the resource's voice at all (see History.Witnessed).
	Applied   int64
	AppliedAt time.Duration
	Accepted  bool
	Prior     string // value before a write
	Mark      int64  // highest token that the resource knew after it
}

// Write reports whether the operation is a write.
func (o *Op) Write() bool { return o.Kind == "write" }

// Section is one call of a strategy, from the call to its return.
type Section struct {
	Worker string
	N      int    // from 1, by worker
	Key    string // the lock's key
	Token  int64

	Call, Enter, Leave, Return         int64 // sequence numbers; 0: did not happen
	CallAt, EnterAt, LeaveAt, ReturnAt time.Duration
	Told                               int64 // when the holder learned of the loss; 0: never
	ToldAt                             time.Duration
	Crashed                            bool // its process ended within it

	BodyErr  string // error that the body ended with
	Class    Class  // answer of the strategy
	Err      string
	Ops      []*Op  // in the order of their invocation
	Grant    int64  // Seq of the server's last grant to this worker and key before Enter; 0: none is known
	GrantAt  time.Duration
	GrantOwn string // Owner of that grant
}

// Entered reports whether the strategy let the worker in.
func (s *Section) Entered() bool { return s.Enter != 0 }

// Witnessed reports whether the history has the resource's own voice. If so,
// an operation without an applied event never reached the resource.
func (h *History) Witnessed() bool {
	for i := range h.Events {
		if h.Events[i].Type == Applied {
			return true
		}
	}
	return false
}

// sectionID names a section while a history is folded.
type sectionID struct {
	worker string
	n      int
}

// Sections folds the events into sections, in the order of their calls. It
// returns an error if the events contradict each other: out of order, a
// return without a call, an operation outside any section.
func (h *History) Sections() ([]*Section, error) {
	f := folder{
		open: map[sectionID]*Section{},
		ops:  map[int64]*Op{},
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Seq != int64(i)+1 {
			return nil, fmt.Errorf("history: event %d has sequence number %d", i+1, e.Seq)
		}
		if i > 0 && e.At < h.Events[i-1].At {
			return nil, fmt.Errorf("history: event %d (%s) is earlier than the one before it", e.Seq, e.Type)
		}
		if err := f.add(e); err != nil {
			return nil, fmt.Errorf("history: event %d: %w", e.Seq, err)
		}
	}
	return f.sections, nil
}

// folder is the state of Sections.
type folder struct {
	sections []*Section
	open     map[sectionID]*Section
	ops      map[int64]*Op
	grants   map[sectionGrant]*Event // last grant by worker and key
}

type sectionGrant struct{ worker, key string }

func (f *folder) add(e *Event) error {
	switch e.Type {
	case AcquireCalled:
		id := sectionID{e.Worker, e.Section}
		if f.open[id] != nil {
			return fmt.Errorf("%s calls its section %d twice", e.Worker, e.Section)
		}
		s := &Section{Worker: e.Worker, N: e.Section, Key: e.Key, Call: e.Seq, CallAt: e.At}
		f.open[id] = s
		f.sections = append(f.sections, s)
		return nil
	case Granted:
		if f.grants == nil {
			f.grants = map[sectionGrant]*Event{}
		}
		f.grants[sectionGrant{e.Worker, e.Key}] = e
		return nil
	case Acquired, Told, ReleaseCalled, Released:
		return f.addToSection(e)
	case Crashed:
		for _, s := range f.sections {
			if s.Worker == e.Worker && s.Return == 0 {
				s.Crashed = true
			}
		}
		return nil
	case Invoke, OK, Fail, Info, Applied:
		return f.addToOp(e)
	case Refused, Renewed, Freed, Expired, Evicted, Final, FaultBegin, FaultEnd:
		return nil
	}
	return fmt.Errorf("unknown type %q", e.Type)
}

func (f *folder) addToSection(e *Event) error {
	s := f.open[sectionID{e.Worker, e.Section}]
	if s == nil {
		return fmt.Errorf("%s of section %d of %s, which was never called", e.Type, e.Section, e.Worker)
	}
	if s.Return != 0 && e.Type != Told {
		return fmt.Errorf("%s of section %d of %s after it returned", e.Type, e.Section, e.Worker)
	}
	switch e.Type {
	case Acquired:
		if s.Enter != 0 {
			return fmt.Errorf("%s enters its section %d twice", e.Worker, e.Section)
		}
		s.Enter, s.EnterAt, s.Token = e.Seq, e.At, e.Token
		if g := f.grants[sectionGrant{e.Worker, s.Key}]; g != nil && g.Seq > s.Call {
			s.Grant, s.GrantAt, s.GrantOwn = g.Seq, g.At, g.Owner
		}
	case Told:
		if s.Told == 0 {
			s.Told, s.ToldAt = e.Seq, e.At
		}
	case ReleaseCalled:
		if s.Enter == 0 {
			return fmt.Errorf("%s leaves its section %d without having entered", e.Worker, e.Section)
		}
		s.Leave, s.LeaveAt, s.BodyErr = e.Seq, e.At, e.Err
	default: // Released
		s.Return, s.ReturnAt, s.Class, s.Err = e.Seq, e.At, e.Class, e.Err
	}
	return nil
}

func (f *folder) addToOp(e *Event) error {
	if e.Request == 0 {
		return fmt.Errorf("%s without a request", e.Type)
	}
	o := f.ops[e.Request]
	if e.Type == Invoke {
		if o != nil {
			return fmt.Errorf("request %d is invoked twice", e.Request)
		}
		if e.Op != "read" && e.Op != "write" {
			return fmt.Errorf("request %d is neither read nor write but %q", e.Request, e.Op)
		}
		s := f.open[sectionID{e.Worker, e.Section}]
		if s == nil {
			return fmt.Errorf("request %d belongs to section %d of %s, which was never called", e.Request, e.Section, e.Worker)
		}
		o = &Op{
			Request: e.Request, Worker: e.Worker, Section: e.Section, Kind: e.Op, Item: e.Key,
			Value: e.Value, Token: e.Token, Invoke: e.Seq, InvokeAt: e.At, Outcome: OutcomeInfo,
		}
		f.ops[e.Request] = o
		s.Ops = append(s.Ops, o)
		return nil
	}
	if o == nil {
		return fmt.Errorf("%s of request %d, which was never invoked", e.Type, e.Request)
	}
	if e.Type == Applied {
		if o.Applied != 0 {
			return fmt.Errorf("request %d is applied twice", e.Request)
		}
		o.Applied, o.AppliedAt, o.Accepted, o.Prior, o.Mark = e.Seq, e.At, e.Accepted, e.Prior, e.Mark
		if o.Kind == "read" && o.Return == 0 {
			o.Value = e.Value
		}
		return nil
	}
	if o.Return != 0 {
		return fmt.Errorf("request %d returns twice", e.Request)
	}
	o.Return, o.ReturnAt, o.Outcome = e.Seq, e.At, outcomeOf(e.Type)
	if e.Type == OK && o.Kind == "read" {
		o.Value = e.Value
	}
	return nil
}

func outcomeOf(t Type) Outcome {
	switch t {
	case OK:
		return OutcomeOK
	case Fail:
		return OutcomeFail
	default:
		return OutcomeInfo
	}
}
