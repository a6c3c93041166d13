package reports

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios"
)

// ofSection tells what a worker does with its lock.
func (t *teller) ofSection(e *history.Event, s *history.Section) {
	id := sectionID{e.Worker, e.Section}
	switch e.Type {
	case history.AcquireCalled:
		t.current[e.Worker] = id
		t.doing[e.Worker] = "while it asks for the lock"
	case history.Acquired:
		t.holders = append(t.holders, id)
		t.doing[e.Worker] = "right after it got in"
		t.say(e, e.Worker, turning, "%s", t.entry(e, s))
	case history.Told:
		t.leave(id)
		if s.Return == 0 || s.ReturnAt != e.At { // else its end says as much
			t.say(e, e.Worker, turning, "is told that it lost the lock")
		}
	case history.ReleaseCalled:
		t.leave(id)
		t.doing[e.Worker] = "while it gives the lock back"
		if e.Err != "" && s.Class == history.ClassOK {
			t.say(e, e.Worker, waiting, "stops its work: %s", plain(e.Err, 60))
		}
	default: // Released
		t.leave(id)
		t.doing[e.Worker] = "between two sections"
		if text, w := t.ending(e, s); text != "" {
			t.say(e, e.Worker, w, "%s", text)
		}
	}
}

func (t *teller) leave(id sectionID) {
	t.holders = slices.DeleteFunc(t.holders, func(other sectionID) bool { return other == id })
}

// entry says how a worker came in, and whether the server knows of it.
func (t *teller) entry(e *history.Event, s *history.Section) string {
	text := "gets the lock"
	switch {
	case !t.spoken:
		text = "enters its section"
	case s.Grant == 0:
		text = "enters without a grant"
	case t.lease.worker != e.Worker:
		text = "hears of its grant, which is over"
	}
	if e.Token != 0 {
		text += fmt.Sprintf(", token %d", e.Token)
	}
	return text
}

// ending says what the answer of a strategy adds to what the lock server said.
func (t *teller) ending(e *history.Event, s *history.Section) (string, weight) {
	verb := "ends"
	if !s.Entered() {
		verb = "gives up"
	}
	switch e.Class {
	case history.ClassOK:
		switch {
		case !t.spoken:
			return "leaves its section", routine
		case t.lease.worker == e.Worker:
			return "ends, and keeps its lease", waiting
		}
		return "", routine // the server has told that the lock is free
	case history.ClassNotObtained:
		return verb + ": lock not obtained", waiting
	case history.ClassLost:
		return verb + ": told that the lock was lost", work
	case history.ClassUnknown:
		return verb + ": outcome unknown", work
	case history.ClassCancelled:
		return verb + ": cancelled", waiting
	case history.ClassRefused:
		return verb + ": refused by the resource", work
	default: // ClassOther
		return verb + ": " + plain(e.Err, 60), work
	}
}

// ofServer tells what the lock server did in truth.
func (t *teller) ofServer(e *history.Event) {
	if t.run.History.Meta.Quorum > 1 {
		t.ofOneOfServers(e)
		return
	}
	held := t.lease
	switch e.Type {
	case history.Granted:
		t.lease = lease{worker: e.Worker, until: e.Until, token: e.Token}
		if s := t.heard[e.Seq]; s != nil {
			t.lease.token = s.Token // the server may not know the fence; its section is told as it enters
			return
		}
		t.say(t.ofCurrent(e, e.Worker), "lock", turning, "grants %s, who never hears of it", e.Worker)
	case history.Refused:
		t.repeat(e, t.current[e.Worker], waiting, "asks for the lock: refused", "refused")
	case history.Renewed:
		t.lease.until = e.Until
		t.repeat(e, t.current[t.lease.worker], routine, "renews its lease", "renews its lease")
	case history.Freed:
		t.lease = lease{}
		if held.worker == "" || e.Worker == held.worker || e.Worker == "" {
			t.say(t.ofCurrent(e, held.worker), e.Worker, routine, "releases the lock")
			return
		}
		t.say(e, e.Worker, turning, "frees the lease of %s", held.worker)
	default: // Expired, Evicted
		t.lease = lease{}
		of := t.ofCurrent(e, held.worker)
		if t.believesItself(held.worker) {
			t.say(of, "lock", turning, "%s, unknown to it", t.robbing(e, held.worker))
		} else if held.worker != "" {
			t.say(of, "lock", waiting, "%s", t.robbing(e, held.worker))
		}
	}
}

// robbing says how the lease of a worker came to its end, if that was nobody's
// wish: of one that was taken away, by the last fault that the server had.
func (t *teller) robbing(e *history.Event, worker string) string {
	switch {
	case e.Type == history.Expired:
		return worker + "'s lease ends"
	case t.robbed.Kind == string(faults.Delete):
		return worker + "'s lease is deleted"
	case t.robbed.Kind == string(faults.Crash) && t.robbed.At == e.At:
		return "forgets the lease of " + worker
	case t.robbed.Kind == string(faults.Crash), t.robbed.Kind == string(faults.Failover):
		return "the replica takes over, without the lease of " + worker
	}
	return worker + "'s lease is evicted"
}

// ofCurrent fills in the section that an event of the server concerns: the
// one that the worker is in.
func (t *teller) ofCurrent(e *history.Event, worker string) *history.Event {
	of := *e
	of.Worker, of.Section = worker, t.current[worker].n
	return &of
}

// ofOperation tells a read or a write at the moment that counts: when the
// resource took or refused it, or, if the resource has no voice, when the
// worker heard.
func (t *teller) ofOperation(e *history.Event, o *history.Op) {
	switch e.Type {
	case history.Invoke:
		t.early[o.Request] = t.lease.worker == o.Worker
		t.doing[o.Worker] = "with its " + o.Kind + " under way"
	case history.Applied:
		t.effect(e, o, e.Accepted, e.Value)
	default: // OK, Fail, Info
		t.doing[o.Worker] = "after its " + o.Kind
		if e.Type == history.Info {
			t.say(ofOp(e, o), o.Worker, waiting, "does not hear of its %s", describe(o))
		} else if !t.witnessed {
			t.effect(e, o, e.Type == history.OK, o.Value)
		}
	}
}

// ofOp fills in whose an event of an operation is: the resource may not say.
func ofOp(e *history.Event, o *history.Op) *history.Event {
	of := *e
	of.Worker, of.Section = o.Worker, o.Section
	return &of
}

func describe(o *history.Op) string {
	if o.Write() {
		return "write of " + quoted(o.Value)
	}
	return "read"
}

// effect tells what became of an operation.
func (t *teller) effect(e *history.Event, o *history.Op, accepted bool, value string) {
	it, id := t.item(o.Item), sectionID{o.Worker, o.Section}
	text := o.Kind + "s"
	if o.Write() || accepted {
		text += " " + quoted(value)
	}
	// A request that outlived its lease on the way is news by itself.
	if o.Write() && t.early[o.Request] && t.spoken && t.lease.worker != o.Worker {
		text = fmt.Sprintf("write of %s, sent at %s, lands", quoted(o.Value), brief(o.InvokeAt))
	}
	if len(t.items) > 1 {
		text += " (" + o.Item + ")"
	}
	if !accepted {
		if t.say(ofOp(e, o), o.Worker, turning, "%s: %s", text, refusal(o, e.Mark)) {
			t.note("refused", o.Token)
		}
		return
	}
	if !o.Write() {
		it.reads[id] = e.Seq
		t.say(ofOp(e, o), o.Worker, work, "%s", text)
		return
	}
	over := t.overwrites(it, id)
	it.value, it.writes, it.last = value, it.writes+1, &lastDone{e.Seq, id, value}
	w := work
	if over != nil {
		w, text = turning, fmt.Sprintf("%s over %s's %s: update lost", text, over.who.worker, quoted(over.value))
	}
	if !t.say(ofOp(e, o), o.Worker, w, "%s", text) {
		t.omit(e, o)
		return
	}
	t.lines[len(t.lines)-1].loses = over != nil
	t.note("took", 0)
}

// overwrites returns the write of another section that a counter's section is
// about to undo: it read before that write, and so does not know of it.
func (t *teller) overwrites(it *item, id sectionID) *lastDone {
	read, ok := it.reads[id]
	if t.run.History.Meta.Workload != "counter" || !t.witnessed || !ok || it.last == nil {
		return nil
	}
	if it.last.seq < read || it.last.who == id {
		return nil
	}
	return it.last
}

// note adds what the resource did to its cell of the last line.
func (t *teller) note(did string, token int64) {
	if !t.witnessed {
		return
	}
	cell := &t.lines[len(t.lines)-1].Resource
	if token != 0 {
		did += fmt.Sprintf(" #%d", token)
	}
	*cell += ", " + did
}

func refusal(o *history.Op, mark int64) string {
	switch {
	case o.Token == 0:
		return "refused, no token"
	case mark > o.Token:
		return fmt.Sprintf("refused, %d is below %d", o.Token, mark)
	}
	return fmt.Sprintf("token %d refused", o.Token)
}

// ofFault tells a fault that takes hold or lets go.
func (t *teller) ofFault(e *history.Event) {
	action, when := faults.Action{Kind: faults.Kind(e.Kind), Target: e.Target}, (*faults.When)(nil)
	if step := planned(t.run, e); step != nil {
		action, when = step.Action, step.When
	}
	actor, of := "network", *e
	if slices.Contains(t.run.History.Meta.Workers, action.Target) && action.Kind != faults.Hold && action.Kind != faults.Drop {
		// A fault in a section that the story is not about is none of its business.
		actor, of = action.Target, *t.ofCurrent(e, action.Target)
	} else if slices.Contains([]faults.Kind{faults.Suspend, faults.Crash, faults.ClockStep, faults.ClockRate}, action.Kind) {
		actor = action.Target // a server
	} else {
		of.Worker = t.onLink(action, when)
	}
	text, w := t.onset(e, action, when), turning
	if e.Type == history.FaultEnd {
		text, w = t.healing(action, when)
	} else if slices.Contains([]faults.Kind{faults.Crash, faults.Failover, faults.Delete, faults.Evict}, action.Kind) && of.Worker != action.Target {
		t.robbed = *e
	}
	if text != "" {
		t.say(&of, actor, w, "%s", text)
	}
}

// planned returns the step of the plan that a fault comes from, nil if there is
// none.
func planned(run *scenarios.Trial, e *history.Event) *faults.Step {
	if e.Fault < 1 || e.Fault > len(run.Plan.Steps) {
		return nil
	}
	return &run.Plan.Steps[e.Fault-1]
}

// onset says how a fault takes hold, "" where something else tells of it: the last
// event of a worker, or the end of a lease.
func (t *teller) onset(e *history.Event, a faults.Action, when *faults.When) string {
	length := a.For
	if e.Until > e.At {
		length = e.Until - e.At
	}
	point := e.Point
	if point == "" && when != nil {
		point = when.Point
	}
	switch a.Kind {
	case faults.Pause:
		return fmt.Sprintf("is paused %s %s", short(length), t.where(a.Target, point))
	case faults.Suspend:
		return fmt.Sprintf("is suspended %s %s", short(length), t.where(a.Target, point))
	case faults.Stall:
		return fmt.Sprintf("has its task %s stalled for %s", plain(a.Task, 20), short(length))
	case faults.Crash:
		if slices.Contains(t.run.History.Meta.Workers, a.Target) {
			return ""
		}
		return fmt.Sprintf("crashes for %s", short(length))
	case faults.Failover, faults.Delete, faults.Evict:
		return ""
	case faults.ClockStep:
		return fmt.Sprintf("has its wall clock moved by %v", a.By)
	case faults.ClockRate:
		return fmt.Sprintf("has its %s clock run %+d ppm fast", a.Clock, a.PPM)
	case faults.Partition:
		return fmt.Sprintf("cuts %s -> %s for %s (%s)", a.From, a.To, short(length), a.Mode)
	case faults.Hold:
		return fmt.Sprintf("holds the %s for %s", message(when), short(length))
	case faults.Drop:
		return fmt.Sprintf("loses the %s", message(when))
	default:
	}
	return fmt.Sprintf("%s hits %s for %s", plain(e.Kind, 20), plain(e.Target, 30), short(length))
}

// onLink returns the worker whose messages a fault of the network meets, ""
// for all of them.
func (t *teller) onLink(a faults.Action, when *faults.When) string {
	if when != nil {
		return when.Worker
	}
	for _, end := range []string{a.From, a.To} {
		if slices.Contains(t.run.History.Meta.Workers, end) {
			return end
		}
	}
	return ""
}

// healing says how a fault lets go, "" where nobody misses it.
func (t *teller) healing(a faults.Action, when *faults.When) (string, weight) {
	switch a.Kind {
	case faults.Crash:
		return "starts again", work
	case faults.Stall:
		return fmt.Sprintf("has its task %s go on", plain(a.Task, 20)), work
	case faults.ClockStep:
		return "has its wall clock put right", work
	case faults.ClockRate:
		return fmt.Sprintf("has its %s clock put right", a.Clock), work
	case faults.Pause, faults.Suspend:
		if t.spoken && t.believesItself(a.Target) && t.lease.worker != a.Target {
			return "wakes, and believes it still holds", turning
		}
		return "wakes", work
	case faults.Partition:
		return fmt.Sprintf("heals %s -> %s", a.From, a.To), work
	case faults.Hold:
		return fmt.Sprintf("delivers the %s", message(when)), waiting
	case faults.Drop:
		return "", routine
	default:
	}
	return fmt.Sprintf("%s ends", plain(string(a.Kind), 20)), work
}

// message names the message that a point of the network speaks of, such as
// write.sent.
func message(when *faults.When) string {
	if when == nil {
		return "message"
	}
	op, side, _ := strings.Cut(when.Point, ".")
	if side == "sent" {
		return op + " of " + when.Worker
	}
	return "reply to the " + op + " of " + when.Worker
}

// where says which step of the worker a pause falls into.
func (t *teller) where(worker, point string) string {
	switch point {
	case "acquire-called":
		return "before it asks for the lock"
	case "acquired":
		return "right after it got in"
	case "read-called":
		return "before its read"
	case "read-done":
		return "after its read"
	case "lease-checked":
		return "right before its write"
	case "write-replied":
		return "after its write"
	case "release-called":
		return "before its release"
	case "released":
		return "after its release"
	case "":
		return t.doing[worker]
	}
	return "at its " + plain(point, 30)
}
