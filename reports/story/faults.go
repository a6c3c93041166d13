package story

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// LockServer stands for all servers of the lock in a fault, and for the only one.
const LockServer = "lock"

// faultID identifies a fault that has begun and not ended.
type faultID struct {
	step   int
	target string
}

// faultEvent is a fault of a run: an event, and the fault of its step in the plan. If the
// plan has no such step, the fault follows from the event.
type faultEvent struct {
	*history.Event
	fault faults.Fault // nil if its kind is not known
	info  faults.Info
	when  *faults.When
	takes time.Duration // 0 for an instant one
}

func faultEventOf(run *results.Trial, e *history.Event) faultEvent {
	f := faultEvent{Event: e, fault: faults.Named(faults.Kind(e.Kind), e.Target), takes: max(e.Until-e.At, 0)}
	if step := Planned(run, e); step != nil {
		f.fault, f.when = step.Fault, step.When
		if f.takes == 0 {
			f.takes = step.For
		}
	}
	if f.fault != nil {
		f.info = f.fault.Info()
	}
	return f
}

// target returns the worker or server that the fault hits, "" for a fault of links or
// messages.
func (f faultEvent) target() string {
	if f.fault == nil {
		return ""
	}
	if names := faults.Names(f.fault); len(names) == 1 {
		return names[0]
	}
	return ""
}

// tellFault adds the line for the begin or the end of a fault. An instant fault has no
// end. A fault that overlaps another of its kind on the same target ends with the last of
// them.
func (t *teller) tellFault(e *history.Event) {
	f := faultEventOf(t.run, e)
	id := faultID{e.Fault, e.Target}
	var text string
	w, begin := cause, e
	if e.Type == history.FaultBegin {
		text = t.begin(f)
		if f.takes > 0 {
			t.open[id] = *e
		}
	} else if began, open := t.open[id]; open {
		begin = &began
		delete(t.open, id)
		for _, other := range t.open {
			if other.Kind == e.Kind && other.Target == e.Target {
				return
			}
		}
		text, w = t.end(f)
	}
	if text == "" {
		return
	}
	actor, of := t.hitBy(f, begin)
	if !t.joins(f, actor, text) {
		t.say(&of, actor, w, "%s", text)
	}
}

// tellClocks adds the lines for the clocks that are wrong from the start.
func (t *teller) tellClocks() {
	clocks := t.run.History.Meta.Clocks
	for _, name := range slices.Sorted(maps.Keys(clocks)) {
		if t.isWorker(name) && !t.scope.follows(name) || t.limit < cause {
			continue
		}
		text := fmt.Sprintf("has a wall clock that is %s fast from the start", words.Short(clocks[name]))
		if clocks[name] < 0 {
			text = fmt.Sprintf("has a wall clock that is %s slow from the start", words.Short(-clocks[name]))
		}
		line := t.stateLine(0)
		line.Actor, line.Text, line.weight = words.Plain(name, 24), text, cause
		t.lines = append(t.lines, line)
	}
}

// joins adds a fault to an earlier line, and reports whether it did: to the last one if it does the same once more, or to one
// of the same moment that does it to the link in the other direction.
func (t *teller) joins(f faultEvent, actor, text string) bool {
	if len(t.lines) == 0 || f.fault == nil || t.proves(f.Event) {
		return false
	}
	if names := faults.Names(f.fault); len(names) == 2 {
		there, back := names[0]+" -> "+names[1], names[1]+" -> "+names[0]
		other := strings.Replace(text, there, back, 1)
		for i := len(t.lines) - 1; i >= 0 && t.lines[i].At == f.At && other != text; i-- {
			if line := &t.lines[i]; line.Actor == actor && line.Text == other {
				line.Text = strings.Replace(other, back, names[1]+" <-> "+names[0], 1)
				return true
			}
		}
	}
	last := &t.lines[len(t.lines)-1]
	many := func() string { return fmt.Sprintf("%s, %d times", text, last.again+1) }
	if last.Actor != actor || last.Text != text && (last.again == 0 || last.Text != many()) {
		return false
	}
	last.again++
	last.Text = many()
	return true
}

// hitBy returns the actor of the line about a fault, and its event with the worker and the
// section that it hits. Begin is the event with which the fault began. A story leaves out
// faults in sections that are not in its scope.
func (t *teller) hitBy(f faultEvent, begin *history.Event) (actor string, of history.Event) {
	of = *f.Event
	target := f.target()
	switch {
	case target == "":
		of.Worker = t.onLink(f)
		return "network", of
	case t.isWorker(target):
		of.Worker, of.Section = target, t.current[target].n
		return target, of
	}
	return words.Plain(t.primaries.Hit(target, begin), 24), of
}

func (t *teller) isWorker(name string) bool {
	return slices.Contains(t.run.History.Meta.Workers, name)
}

// crashes records that a worker's process has ended, and with it the faults of the process.
func (t *teller) crashes(worker string) {
	t.down[worker] = true
	for id, fault := range t.open {
		if info, _ := faults.Lookup(faults.Kind(fault.Kind)); id.target == worker && !info.Kills {
			delete(t.open, id)
		}
	}
}

// tellChange adds the line for a promoted replica or a restarted server.
func (t *teller) tellChange(e *history.Event) {
	delete(t.down, e.Node)
	if e.Type == history.Restarted {
		actor, text := words.Plain(e.Node, 24), t.primaries.restart(e)
		if t.down[LockServer] && t.primaries.first != LockServer { // all of its servers crashed at once
			actor, text = LockServer, "starts again"
		}
		if !t.saidNow(e.At, "comes back") && !t.saidNow(e.At, "starts again") {
			t.say(e, actor, work, "%s", text)
		}
		delete(t.down, LockServer)
		return
	}
	delete(t.down, LockServer)
	if text := t.primaries.takeover(); !t.saidNow(e.At, "takes over") {
		t.say(e, words.Plain(e.Node, 24), cause, "%s", text)
	}
}

// saidNow reports whether a line of this moment begins with the text.
func (t *teller) saidNow(at time.Duration, text string) bool {
	return slices.ContainsFunc(t.lines, func(l Line) bool { return l.At == at && strings.HasPrefix(l.Text, text) })
}

// Planned returns the step of the plan that caused a fault event, or nil.
func Planned(run *results.Trial, e *history.Event) *faults.Step {
	if e.Fault < 1 || e.Fault > len(run.Plan.Steps) {
		return nil
	}
	return &run.Plan.Steps[e.Fault-1]
}

// begin returns the sentence for the begin of a fault. It is "" if another event has the
// sentence (the last event of a worker, the end of a lease) or if it hit nothing.
func (t *teller) begin(f faultEvent) string {
	if f.fault == nil {
		text := words.Plain(f.Kind, 20) + " hits " + words.Plain(f.Target, 30)
		if f.takes > 0 {
			text += " for " + words.Short(f.takes)
		}
		return text
	}
	text := f.fault.Begins(t.scene(f))
	if f.info.Kills && text != "" {
		t.down[f.target()] = true
	}
	if _, ends := f.fault.(faults.LeaseEnder); ends && (!f.info.Kills || text != "") {
		t.leaseEnder = f.Event
	}
	if f.info.Copies && f.Request != 0 {
		t.copied[f.Request] = *f.Event
	}
	return text
}

// end returns the sentence for the end of a fault, and its weight. It is "" if another
// event has the sentence.
func (t *teller) end(f faultEvent) (string, weight) {
	if f.fault == nil {
		return fmt.Sprintf("%s ends", words.Plain(f.Kind, 20)), work
	}
	text, turns := f.fault.Ends(t.scene(f))
	if f.info.Kills && text != "" {
		delete(t.down, f.target())
	}
	if turns {
		return text, cause
	}
	return text, work
}

// scene returns what a fault needs for its sentences.
func (t *teller) scene(f faultEvent) faults.Scene {
	target, point := f.target(), f.Point
	if point == "" && f.when != nil {
		point = f.when.Point
	}
	section := t.sections[t.current[target]]
	injections := t.run.Injections
	return faults.Scene{
		Length: words.Short(f.takes), Where: t.where(target, point), Message: message(f.when), Keys: t.taken(f.Event),
		Worker: t.isWorker(target), Down: t.down[target], Deluded: t.deluded(target),
		Idle:   section == nil || section.Return != 0 && section.Return < f.Seq,
		Missed: f.Fault > 0 && f.Fault <= len(injections) && !injections[f.Fault-1].Hit,
		Short:  words.Short, Plain: words.Plain,
	}
}

// taken lists the keys that a fault removed. It leaves out locks that the story is not
// about, and leases whose end has a line of its own.
func (t *teller) taken(e *history.Event) []string {
	var keys []string
	for key := range strings.SplitSeq(e.Hit, ", ") {
		if key == "" || t.otherLocks[key] {
			continue
		}
		alone := t.run.History.Meta.Quorum <= 1 && t.scope.About(key) && t.lock(key).worker != ""
		if !alone {
			keys = append(keys, key)
		}
	}
	return keys
}

// deluded reports whether a worker believes that it holds a lock which it has lost.
func (t *teller) deluded(worker string) bool {
	return t.hasServers && slices.ContainsFunc(t.scope.locks, func(key string) bool {
		return t.believesItself(worker, key) && !t.lock(key).has(worker)
	})
}

// onLink returns the worker whose messages a fault of the network hits, "" for all.
func (t *teller) onLink(f faultEvent) string {
	if f.when != nil {
		return f.when.Worker
	}
	if f.fault == nil {
		return ""
	}
	for _, end := range faults.Names(f.fault) {
		if t.isWorker(end) {
			return end
		}
	}
	return ""
}

// message names the message of a network point such as write.sent.
func message(when *faults.When) string {
	if when == nil {
		return "message"
	}
	op, side := atPoint(when.Point)
	if side == "sent" {
		return op + " of " + when.Worker
	}
	return "reply to the " + op + " of " + when.Worker
}

// where describes the step of the worker's work at which a fault begins.
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
	case "commit-called":
		return "after its release, before its commit"
	case "":
		return t.step[worker]
	}
	op, side := atPoint(words.Plain(point, 40))
	switch side {
	case "sent":
		return "right after it sent its " + op
	case "applied":
		return "as its " + op + " takes effect"
	case "replied":
		return "before it has the reply to its " + op
	case "taken":
		return "right after the reply to its " + op
	}
	return "at its point " + op
}

// atPoint splits a point such as renew.sent into the noun for its message and the side that it is on.
func atPoint(point string) (message, side string) {
	message, side, _ = strings.Cut(point, ".")
	if message == "renew" {
		message = "renewal"
	}
	return message, side
}
