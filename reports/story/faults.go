package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// lockServer stands for all servers of the lock in a fault, and for the only one.
const lockServer = "lock"

// faultID names a fault that has begun, until it ends.
type faultID struct {
	step   int
	target string
}

// strike is a fault of a run: as its plan has it, or if that has nothing, as its event
// does.
type strike struct {
	*history.Event
	fault faults.Fault // nil if its kind is not known
	info  faults.Info
	when  *faults.When
	takes time.Duration // 0 for one that takes no time
}

func strikeOf(run *results.Trial, e *history.Event) strike {
	f := strike{Event: e, fault: faults.Named(faults.Kind(e.Kind), e.Target), takes: max(e.Until-e.At, 0)}
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

// target returns the worker or server that the fault takes hold of, "" for one of links
// or messages.
func (f strike) target() string {
	if f.fault == nil {
		return ""
	}
	if names := faults.Names(f.fault); len(names) == 1 {
		return names[0]
	}
	return ""
}

// ofFault tells a fault that takes hold or lets go. One that takes no time does
// not end, and one that another of its kind goes on after does not let go.
func (t *teller) ofFault(e *history.Event) {
	f := strikeOf(t.run, e)
	id := faultID{e.Fault, e.Target}
	var text string
	w := turning
	if e.Type == history.FaultBegin {
		text = t.onset(f)
		if f.takes > 0 {
			t.open[id] = *e
		}
	} else if _, open := t.open[id]; open {
		delete(t.open, id)
		for _, other := range t.open {
			if other.Kind == e.Kind && other.Target == e.Target {
				return
			}
		}
		text, w = t.healing(f)
	}
	if text == "" {
		return
	}
	actor, of := t.struck(f)
	t.say(&of, actor, w, "%s", text)
}

// struck returns who a line about a fault is of, and the event with the worker and
// the section that it concerns: a fault in a section that the story is not about is
// none of its business.
func (t *teller) struck(f strike) (actor string, of history.Event) {
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
	return words.Plain(target, 24), of
}

func (t *teller) isWorker(name string) bool {
	return slices.Contains(t.run.History.Meta.Workers, name)
}

// crashes notes that a worker's process has ended, and everything that was done
// to it with it.
func (t *teller) crashes(worker string) {
	t.down[worker] = true
	for id, fault := range t.open {
		if info, _ := faults.Lookup(faults.Kind(fault.Kind)); id.target == worker && !info.Kills {
			delete(t.open, id)
		}
	}
}

// ofChange tells of a replica that was promoted, and of a server that is up again.
func (t *teller) ofChange(e *history.Event) {
	delete(t.down, e.Node)
	if e.Type == history.Restarted {
		actor, text := words.Plain(e.Node, 24), "starts again"
		if t.primary != "" && t.primary != e.Node {
			text += ", as the replica"
		}
		if t.down[lockServer] { // all of its servers crashed at once
			actor = lockServer
		}
		if !t.saidNow(e.At, "comes back") && !t.saidNow(e.At, "starts again") {
			t.say(e, actor, work, "%s", text)
		}
		delete(t.down, lockServer)
		return
	}
	t.primary = e.Node
	delete(t.down, lockServer)
	if text := "the replica takes over"; !t.saidNow(e.At, text) {
		t.say(e, lockServer, turning, "%s", text)
	}
}

// saidNow reports whether a line of this moment begins so.
func (t *teller) saidNow(at time.Duration, text string) bool {
	return slices.ContainsFunc(t.lines, func(l Line) bool { return l.At == at && strings.HasPrefix(l.Text, text) })
}

// Planned returns the step of the plan that a fault event carries out, or nil.
func Planned(run *results.Trial, e *history.Event) *faults.Step {
	if e.Fault < 1 || e.Fault > len(run.Plan.Steps) {
		return nil
	}
	return &run.Plan.Steps[e.Fault-1]
}

// onset says how a fault takes hold, "" where something else tells of it (the last
// event of a worker, the end of a lease) or where it met nothing.
func (t *teller) onset(f strike) string {
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
		t.robber = f.Event
	}
	if f.info.Copies && f.Request != 0 {
		t.copied[f.Request] = *f.Event
	}
	return text
}

// healing says how a fault lets go, "" where nobody misses it or something else
// tells of it.
func (t *teller) healing(f strike) (string, weight) {
	if f.fault == nil {
		return fmt.Sprintf("%s ends", words.Plain(f.Kind, 20)), work
	}
	text, turns := f.fault.Ends(t.scene(f))
	if f.info.Kills && text != "" {
		delete(t.down, f.target())
	}
	if turns {
		return text, turning
	}
	return text, work
}

// scene tells a fault what the story knows at its moment.
func (t *teller) scene(f strike) faults.Scene {
	target, point := f.target(), f.Point
	if point == "" && f.when != nil {
		point = f.when.Point
	}
	section := t.sections[t.current[target]]
	bites := t.run.Bites
	return faults.Scene{
		Length: words.Short(f.takes), Where: t.where(target, point), Message: message(f.when), Keys: t.taken(f.Event),
		Worker: t.isWorker(target), Down: t.down[target], Deluded: t.deluded(target),
		Idle:   section == nil || section.Return != 0 && section.Return < f.Seq,
		Missed: f.Fault > 0 && f.Fault <= len(bites) && !bites[f.Fault-1].Bit,
		Short:  words.Short, Plain: words.Plain,
	}
}

// taken lists the keys that a fault took away, but for locks that the story is not
// about, and for a lease whose end is told by itself.
func (t *teller) taken(e *history.Event) []string {
	var keys []string
	for key := range strings.SplitSeq(e.Hit, ", ") {
		if key == "" || t.strange[key] {
			continue
		}
		alone := t.run.History.Meta.Quorum <= 1 && t.scope.About(key) && t.lock(key).worker != ""
		if !alone {
			keys = append(keys, key)
		}
	}
	return keys
}

// deluded reports whether a worker believes to hold a lock that it has lost.
func (t *teller) deluded(worker string) bool {
	return t.spoken && slices.ContainsFunc(t.scope.locks, func(key string) bool {
		return t.believesItself(worker, key) && t.lock(key).worker != worker
	})
}

// onLink returns the worker whose messages a fault of the network meets, ""
// for all of them.
func (t *teller) onLink(f strike) string {
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
	case "commit-called":
		return "after its release, before its commit"
	case "":
		return t.doing[worker]
	}
	op, side, _ := strings.Cut(words.Plain(point, 40), ".")
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
