package history

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

// sectionID identifies a section.
type sectionID struct {
	worker string
	n      int
}

// Sections returns the sections of the history, in the order of their calls. It returns an error if
// the events contradict each other: they are out of order, a return has no call, an operation is
// outside any section, a crashed worker acts, an answer or a request contradicts the resource's
// record, or a grant is given twice or ends without having been given.
func (h *History) Sections() ([]*Section, error) {
	sections, err := sectionsOf(h.Events, 1)
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
func SectionsOfLock(events []Event) ([]*Section, error) { return sectionsOf(events, math.MaxInt64) }

// sectionsOf returns the sections of events whose sequence numbers rise by at most step from one to the next.
func sectionsOf(events []Event, step int64) ([]*Section, error) {
	f := newFolder(events)
	last, at := int64(0), time.Duration(0)
	for i := range events {
		e := &events[i]
		if e.Seq <= last || e.Seq-last > step {
			return nil, fmt.Errorf("history: event %d has sequence number %d", i+1, e.Seq)
		}
		if i > 0 && e.At < at {
			return nil, fmt.Errorf("history: event %d (%s) is earlier than the one before it", e.Seq, e.Type)
		}
		last, at = e.Seq, e.At
		if err := f.add(e); err != nil {
			return nil, fmt.Errorf("history: event %d: %w", e.Seq, err)
		}
	}
	return f.sections, nil
}

// folder is the state of Sections.
type folder struct {
	sections []*Section
	byID     map[sectionID]*Section
	at       *Section              // the last section looked up, which usually is the next one too
	alive    map[string][]*Section // by worker: the sections that a crash would end
	crashes  map[string]int64      // by worker: the last crash
	ops      map[int64]*Op
	recent   *Op                // the last operation looked up, which usually is the next one too
	grants   map[grantID]*Event // last grant by worker and key
	locks    holders

	// Buffers for all sections and operations, so that a long history does not cost one allocation
	// for each.
	sectionRoom []Section
	opRoom      []Op
}

type grantID struct{ worker, key string }

func newFolder(events []Event) *folder {
	calls, invokes := 0, 0
	for i := range events {
		switch events[i].Type {
		case AcquireCalled:
			calls++
		case Invoke:
			invokes++
		default:
		}
	}
	return &folder{
		sections:    make([]*Section, 0, calls),
		byID:        make(map[sectionID]*Section, calls),
		alive:       map[string][]*Section{},
		crashes:     map[string]int64{},
		ops:         make(map[int64]*Op, invokes),
		grants:      map[grantID]*Event{},
		locks:       holders{},
		sectionRoom: make([]Section, 0, calls),
		opRoom:      make([]Op, 0, invokes),
	}
}

func (f *folder) add(e *Event) error {
	switch e.Type {
	case AcquireCalled:
		return f.called(e)
	case Granted:
		f.granted(e)
		return f.locks.add(e)
	case Acquired, Told, ReleaseCalled, Released:
		return f.addToSection(e)
	case Crashed:
		f.crashed(e)
		return nil
	case Invoke:
		return f.invoke(e)
	case OK, Fail, Info:
		return f.answer(e)
	case Applied:
		return f.applied(e)
	case Renewed, Freed, Expired, Evicted:
		return f.locks.add(e)
	case Refused, NotRenewed, Promoted, Restarted, Final, FaultBegin, FaultEnd:
		return nil
	}
	return &UnknownWordError{"type", string(e.Type), types()}
}

// called adds a section.
func (f *folder) called(e *Event) error {
	id := sectionID{e.Worker, e.Section}
	if f.byID[id] != nil {
		return fmt.Errorf("%s calls its section %d twice", e.Worker, e.Section)
	}
	f.sectionRoom = append(f.sectionRoom, Section{
		Worker: e.Worker, N: e.Section, Key: e.Key, Unit: e.Unit, Again: e.Again, Shared: e.Mode == "shared", Call: e.Seq, CallAt: e.At,
	})
	s := &f.sectionRoom[len(f.sectionRoom)-1]
	if e.Others != "" {
		s.Others = strings.Split(e.Others, ",")
	}
	f.byID[id] = s
	f.alive[e.Worker] = append(f.alive[e.Worker], s)
	f.sections = append(f.sections, s)
	return nil
}

// crashed ends the open sections of a worker.
func (f *folder) crashed(e *Event) {
	for _, s := range f.alive[e.Worker] {
		if s.Return == 0 {
			s.Crashed, s.Crash, s.CrashAt = true, e.Seq, e.At
		}
	}
	delete(f.alive, e.Worker)
	f.crashes[e.Worker] = e.Seq
}

// granted records a grant for the section that will be let in with it. It ignores a grant that was
// asked for before the worker's last call for the lock: an earlier section had given up on it.
func (f *folder) granted(e *Event) {
	for _, s := range slices.Backward(f.alive[e.Worker]) {
		if s.Key != e.Key {
			continue
		}
		if e.Sent == 0 || e.Sent >= s.CallAt {
			f.grants[grantID{e.Worker, e.Key}] = e
		}
		return
	}
}

// op returns the operation of a request, nil if it was never invoked.
func (f *folder) op(request int64) *Op {
	if f.recent == nil || f.recent.Request != request {
		f.recent = f.ops[request]
	}
	return f.recent
}

// find returns a worker's section, nil if it was never called.
func (f *folder) find(worker string, n int) *Section {
	if f.at == nil || f.at.N != n || f.at.Worker != worker {
		f.at = f.byID[sectionID{worker, n}]
	}
	return f.at
}

// gone reports whether the process of a section has ended, within it or later.
func (f *folder) gone(s *Section) bool { return s.Call < f.crashes[s.Worker] }

// section returns the section that an event of its worker belongs to.
func (f *folder) section(e *Event) (*Section, error) {
	s := f.find(e.Worker, e.Section)
	if s == nil {
		return nil, fmt.Errorf("%s of section %d of %s, which was never called", e.Type, e.Section, e.Worker)
	}
	if f.gone(s) {
		return nil, fmt.Errorf("%s of section %d of %s, which has crashed", e.Type, e.Section, e.Worker)
	}
	return s, nil
}

func (f *folder) addToSection(e *Event) error {
	s, err := f.section(e)
	if err != nil {
		return err
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
		if g := f.grants[grantID{e.Worker, s.Key}]; g != nil && g.Seq > s.Call {
			s.Grant, s.GrantAt = g.Seq, g.At
		}
	case Told:
		if s.Told == 0 {
			s.Told, s.ToldAt = e.Seq, e.At
		}
	case ReleaseCalled:
		if s.Enter == 0 {
			return fmt.Errorf("%s leaves its section %d without having entered", e.Worker, e.Section)
		}
		if s.Leave != 0 {
			return fmt.Errorf("%s leaves its section %d twice", e.Worker, e.Section)
		}
		s.Leave, s.LeaveAt, s.BodyErr = e.Seq, e.At, e.Err
	default: // Released
		s.Return, s.ReturnAt, s.Class, s.Err = e.Seq, e.At, e.Class, e.Err
	}
	return nil
}

func (f *folder) invoke(e *Event) error {
	if e.Request == 0 {
		return fmt.Errorf("%s without a request", e.Type)
	}
	if f.ops[e.Request] != nil {
		return fmt.Errorf("request %d is invoked twice", e.Request)
	}
	if e.Op != "read" && e.Op != "write" {
		return fmt.Errorf("request %d is neither read nor write but %q", e.Request, e.Op)
	}
	if e.If != nil && (e.Op != "write" || e.If.By != "version" && e.If.By != "value") {
		return fmt.Errorf("request %d is a %s under a condition by %q", e.Request, e.Op, e.If.By)
	}
	s, err := f.section(e)
	if err != nil {
		return err
	}
	f.opRoom = append(f.opRoom, Op{
		Request: e.Request, Worker: e.Worker, Section: e.Section, Kind: e.Op, Item: e.Key,
		Value: e.Value, Token: e.Token, If: e.If, Invoke: e.Seq, InvokeAt: e.At, Outcome: OutcomeInfo,
	})
	o := &f.opRoom[len(f.opRoom)-1]
	f.ops[e.Request], f.recent = o, o
	if s.Ops == nil {
		const most = 2 // most sections have no more operations
		s.Ops = make([]*Op, 0, most)
	}
	s.Ops = append(s.Ops, o)
	return nil
}

// applied adds the resource's record of a request.
func (f *folder) applied(e *Event) error {
	o := f.op(e.Request)
	switch {
	case o == nil:
		return fmt.Errorf("%s of request %d, which was never invoked", e.Type, e.Request)
	case o.Applied != 0:
		return fmt.Errorf("request %d is applied twice", e.Request)
	case o.Outcome == OutcomeOK:
		return fmt.Errorf("request %d is applied after it was ok", e.Request)
	case o.Outcome == OutcomeFail && e.Accepted:
		return fmt.Errorf("request %d is accepted after it had failed", e.Request)
	case e.Token != o.Token:
		return fmt.Errorf("request %d is applied with token %d, and was invoked with %d", e.Request, e.Token, o.Token)
	case o.Write() && e.Accepted && e.Value != o.Value:
		return fmt.Errorf("request %d is applied with value %q, and was invoked with %q", e.Request, e.Value, o.Value)
	}
	if err := o.same(e); err != nil {
		return err
	}
	o.Applied, o.AppliedAt, o.Accepted, o.Prior, o.Mark = e.Seq, e.At, e.Accepted, e.Prior, e.Mark
	if !o.Write() {
		o.Value = e.Value
	}
	return nil
}

// same returns an error if an event contradicts the invocation of its request. A field that the
// event leaves out is no contradiction.
func (o *Op) same(e *Event) error {
	for _, field := range []struct{ name, said, invoked string }{
		{"worker", e.Worker, o.Worker},
		{"operation", e.Op, o.Kind},
		{"item", e.Key, o.Item},
	} {
		if field.said != "" && field.said != field.invoked {
			return fmt.Errorf("%s of request %d has the %s %q, and it was invoked with %q", e.Type, e.Request, field.name, field.said, field.invoked)
		}
	}
	if e.Section != 0 && e.Section != o.Section {
		return fmt.Errorf("%s of request %d has section %d, and it was invoked in section %d", e.Type, e.Request, e.Section, o.Section)
	}
	return nil
}

// answer adds the worker's answer to a request.
func (f *folder) answer(e *Event) error {
	o := f.op(e.Request)
	switch {
	case o == nil:
		return fmt.Errorf("%s of request %d, which was never invoked", e.Type, e.Request)
	case o.Return != 0:
		return fmt.Errorf("request %d returns twice", e.Request)
	case o.Applied != 0 && !o.Accepted && e.Type == OK:
		return fmt.Errorf("request %d is ok, but the resource refused it", e.Request)
	case o.Applied != 0 && o.Accepted && e.Type == Fail:
		return fmt.Errorf("request %d failed, but the resource accepted it", e.Request)
	case o.Applied != 0 && e.Type == OK && !o.Write() && e.Value != o.Value:
		return fmt.Errorf("request %d read %q, but the resource answered %q", e.Request, e.Value, o.Value)
	case o.Write() && e.Value != "" && e.Value != o.Value:
		return fmt.Errorf("%s of request %d has the value %q, and it was invoked with %q", e.Type, e.Request, e.Value, o.Value)
	}
	if err := o.same(e); err != nil {
		return err
	}
	if s := f.find(o.Worker, o.Section); f.gone(s) {
		return fmt.Errorf("%s of request %d of %s, which has crashed", e.Type, e.Request, o.Worker)
	}
	o.Return, o.ReturnAt, o.Outcome = e.Seq, e.At, outcomeOf(e.Type)
	if e.Type == OK && !o.Write() {
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
