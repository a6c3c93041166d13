package history

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// sectionID identifies a section.
type sectionID struct {
	worker string
	n      int
}

// of returns the sections of events whose sequence numbers rise by at most step from one to the next.
func (b *sectionBuilder) of(events []Event, step int64) ([]*Section, error) {
	b.reset(events)
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
		if err := b.add(e); err != nil {
			return nil, fmt.Errorf("history: event %d: %w", e.Seq, err)
		}
	}
	return b.sections, nil
}

// sectionBuilder makes the sections of a history, event by event.
type sectionBuilder struct {
	sections []*Section
	byID     map[sectionID]*Section
	at       *Section              // the last section looked up, which usually is the next one too
	alive    map[string][]*Section // by worker: the sections that a crash would end
	crashes  map[string]int64      // by worker: the last crash
	ops      map[int64]*Op
	recent   *Op                // the last operation looked up, which usually is the next one too
	grants   map[grantID]*Event // last grant by worker and key
	locks    holders

	// Room for all sections and operations, so that a long history does not cost one allocation for each, and the next one none.
	sectionRoom []Section
	opRoom      []Op
	listRoom    []*Op
}

type grantID struct{ worker, key string }

// mostOps is the number of operations that most sections have.
const mostOps = 2

// reset makes the builder ready for events. It takes the memory of former sections.
func (b *sectionBuilder) reset(events []Event) {
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
	if b.byID == nil {
		*b = sectionBuilder{
			byID: make(map[sectionID]*Section, calls), ops: make(map[int64]*Op, invokes),
			alive: map[string][]*Section{}, crashes: map[string]int64{}, grants: map[grantID]*Event{}, locks: holders{},
		}
	}
	b.at, b.recent = nil, nil
	clear(b.byID)
	clear(b.ops)
	clear(b.alive)
	clear(b.crashes)
	clear(b.grants)
	clear(b.locks)
	b.sections = emptied(b.sections, calls)
	b.sectionRoom = emptied(b.sectionRoom, calls)
	b.opRoom = emptied(b.opRoom, invokes)
	b.listRoom = emptied(b.listRoom, mostOps*calls)
}

// emptied returns an empty list with room for n elements, which uses the memory of list if it suffices.
func emptied[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, 0, n)
	}
	return list[:0]
}

func (b *sectionBuilder) add(e *Event) error {
	switch e.Type {
	case AcquireCalled:
		return b.called(e)
	case Granted:
		b.granted(e)
		return b.locks.add(e)
	case Acquired, Told, ReleaseCalled, Released:
		return b.addToSection(e)
	case Crashed:
		b.crashed(e)
		return nil
	case Invoke:
		return b.invoke(e)
	case OK, Fail, Info:
		return b.answer(e)
	case Applied:
		return b.applied(e)
	case Renewed, Freed, Expired, Evicted:
		return b.locks.add(e)
	case Refused, NotRenewed, LeftQueue, Promoted, Restarted, Final, FaultBegin, FaultEnd:
		return nil
	}
	return &UnknownWordError{"type", string(e.Type), types()}
}

// called adds a section.
func (b *sectionBuilder) called(e *Event) error {
	id := sectionID{e.Worker, e.Section}
	if b.byID[id] != nil {
		return fmt.Errorf("%s calls its section %d twice", e.Worker, e.Section)
	}
	b.sectionRoom = append(b.sectionRoom, Section{
		Worker: e.Worker, N: e.Section, Key: e.Key, Unit: e.Unit, Again: e.Again, Shared: e.Mode == "shared", Call: e.Seq, CallAt: e.At,
	})
	s := &b.sectionRoom[len(b.sectionRoom)-1]
	if e.Others != "" {
		s.Others = strings.Split(e.Others, ",")
	}
	b.byID[id] = s
	b.alive[e.Worker] = append(b.alive[e.Worker], s)
	b.sections = append(b.sections, s)
	return nil
}

// crashed ends the open sections of a worker.
func (b *sectionBuilder) crashed(e *Event) {
	for _, s := range b.alive[e.Worker] {
		if s.Return == 0 {
			s.Crashed, s.Crash, s.CrashAt = true, e.Seq, e.At
		}
	}
	delete(b.alive, e.Worker)
	b.crashes[e.Worker] = e.Seq
}

// granted records a grant for the section that will be let in with it. It ignores a grant that was
// asked for before the worker's last call for the lock: an earlier section had given up on it.
func (b *sectionBuilder) granted(e *Event) {
	for _, s := range slices.Backward(b.alive[e.Worker]) {
		if s.Key != e.Key {
			continue
		}
		if e.Sent == 0 || e.Sent >= s.CallAt {
			b.grants[grantID{e.Worker, e.Key}] = e
		}
		return
	}
}

// op returns the operation of a request, nil if it was never invoked.
func (b *sectionBuilder) op(request int64) *Op {
	if b.recent == nil || b.recent.Request != request {
		b.recent = b.ops[request]
	}
	return b.recent
}

// find returns a worker's section, nil if it was never called.
func (b *sectionBuilder) find(worker string, n int) *Section {
	if b.at == nil || b.at.N != n || b.at.Worker != worker {
		b.at = b.byID[sectionID{worker, n}]
	}
	return b.at
}

// gone reports whether the process of a section has ended, within it or later.
func (b *sectionBuilder) gone(s *Section) bool { return s.Call < b.crashes[s.Worker] }

// section returns the section that an event of its worker belongs to.
func (b *sectionBuilder) section(e *Event) (*Section, error) {
	s := b.find(e.Worker, e.Section)
	if s == nil {
		return nil, fmt.Errorf("%s of section %d of %s, which was never called", e.Type, e.Section, e.Worker)
	}
	if b.gone(s) {
		return nil, fmt.Errorf("%s of section %d of %s, which has crashed", e.Type, e.Section, e.Worker)
	}
	return s, nil
}

func (b *sectionBuilder) addToSection(e *Event) error {
	s, err := b.section(e)
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
		if g := b.grants[grantID{e.Worker, s.Key}]; g != nil && g.Seq > s.Call {
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

func (b *sectionBuilder) invoke(e *Event) error {
	if e.Request == 0 {
		return fmt.Errorf("%s without a request", e.Type)
	}
	if b.ops[e.Request] != nil {
		return fmt.Errorf("request %d is invoked twice", e.Request)
	}
	if e.Op != "read" && e.Op != "write" {
		return fmt.Errorf("request %d is neither read nor write but %q", e.Request, e.Op)
	}
	if e.If != nil && (e.Op != "write" || e.If.By != "version" && e.If.By != "value") {
		return fmt.Errorf("request %d is a %s under a condition by %q", e.Request, e.Op, e.If.By)
	}
	s, err := b.section(e)
	if err != nil {
		return err
	}
	b.opRoom = append(b.opRoom, Op{
		Request: e.Request, Worker: e.Worker, Section: e.Section, Kind: e.Op, Item: e.Key,
		Value: e.Value, Token: e.Token, If: e.If, Invoke: e.Seq, InvokeAt: e.At, Outcome: OutcomeInfo,
	})
	o := &b.opRoom[len(b.opRoom)-1]
	b.ops[e.Request], b.recent = o, o
	if n := len(b.listRoom); s.Ops == nil && n+mostOps <= cap(b.listRoom) {
		b.listRoom = b.listRoom[:n+mostOps]
		s.Ops = b.listRoom[n : n : n+mostOps]
	}
	s.Ops = append(s.Ops, o)
	return nil
}

// applied adds the resource's record of a request.
func (b *sectionBuilder) applied(e *Event) error {
	o := b.op(e.Request)
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
func (b *sectionBuilder) answer(e *Event) error {
	o := b.op(e.Request)
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
	if s := b.find(o.Worker, o.Section); b.gone(s) {
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
