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

// ofFault tells a fault that takes hold or lets go. One that takes no time does
// not end, and one that another of its kind goes on after does not let go.
func (t *teller) ofFault(e *history.Event) {
	action, when := faults.Action{Kind: faults.Kind(e.Kind), Target: e.Target}, (*faults.When)(nil)
	if step := Planned(t.run, e); step != nil {
		action, when = step.Action, step.When
	}
	id := faultID{e.Fault, e.Target}
	var text string
	w := turning
	if e.Type == history.FaultBegin {
		text = t.onset(e, action, when)
		if lasts(e, action) > 0 {
			t.open[id] = *e
		}
	} else if _, open := t.open[id]; open {
		delete(t.open, id)
		for _, other := range t.open {
			if other.Kind == e.Kind && other.Target == e.Target {
				return
			}
		}
		text, w = t.healing(action)
	}
	if text == "" {
		return
	}
	actor, of := t.struck(e, action, when)
	t.say(&of, actor, w, "%s", text)
}

// struck returns who a line about a fault is of, and the event with the worker and
// the section that it concerns: a fault in a section that the story is not about is
// none of its business.
func (t *teller) struck(e *history.Event, a faults.Action, when *faults.When) (actor string, of history.Event) {
	of = *e
	kinds := faults.Kinds()
	i := slices.IndexFunc(kinds, func(info faults.KindInfo) bool { return info.Kind == a.Kind })
	switch {
	case i < 0 || kinds[i].Point != faults.AnyPoint, a.From != "" || a.Target == "":
		of.Worker = t.onLink(a, when)
		return "network", of
	case slices.Contains(t.run.History.Meta.Workers, a.Target):
		of.Worker, of.Section = a.Target, t.current[a.Target].n
		return a.Target, of
	}
	return words.Plain(a.Target, 24), of
}

// lasts returns how long a fault takes, 0 for one that takes no time.
func lasts(e *history.Event, a faults.Action) time.Duration {
	if e.Until > e.At {
		return e.Until - e.At
	}
	return a.For
}

// crashes notes that a worker's process has ended, and everything that was done
// to it with it.
func (t *teller) crashes(worker string) {
	t.down[worker] = true
	for id, fault := range t.open {
		if id.target == worker && faults.Kind(fault.Kind) != faults.Crash {
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
func (t *teller) onset(e *history.Event, a faults.Action, when *faults.When) string {
	length := words.Short(lasts(e, a))
	point := e.Point
	if point == "" && when != nil {
		point = when.Point
	}
	switch a.Kind {
	case faults.Pause:
		return t.halts(a.Target, "is paused "+length+" "+t.where(a.Target, point))
	case faults.Suspend:
		return t.halts(a.Target, "is suspended "+length+" "+t.where(a.Target, point))
	case faults.Stall:
		if n := len(t.run.Bites); n >= e.Fault && e.Fault > 0 && !t.run.Bites[e.Fault-1].Bit {
			return "" // it had no such task
		}
		return fmt.Sprintf("has its task %s stalled for %s", words.Plain(a.Task, 20), length)
	case faults.Crash:
		if slices.Contains(t.run.History.Meta.Workers, a.Target) || t.down[a.Target] {
			return ""
		}
		t.robber, t.down[a.Target] = e, true
		return "crashes"
	case faults.Failover:
		return ""
	case faults.Delete:
		t.robber = e
		return t.taken(e, "deleted")
	case faults.Evict:
		t.robber = e
		return t.taken(e, "evicted")
	case faults.ClockStep:
		return fmt.Sprintf("has its wall clock moved by %v", a.By)
	case faults.ClockRate:
		if a.PPM < 0 {
			return fmt.Sprintf("has its %s clock run %d ppm slow for %s", a.Clock, -a.PPM, length)
		}
		return fmt.Sprintf("has its %s clock run %d ppm fast for %s", a.Clock, a.PPM, length)
	case faults.Overload:
		return "is overloaded for " + length
	case faults.AnswerErrors:
		return fmt.Sprintf("refuses %s for %s (%s)", refusedBy(a.With), length, a.With)
	case faults.Stale:
		return fmt.Sprintf("answers plain reads with what was there up to %s ago, for %s", words.Short(a.By), length)
	case faults.Overrun:
		return fmt.Sprintf("begins sections whose work takes %s longer, for %s", words.Short(a.By), length)
	case faults.Duplicate:
		if e.Request != 0 {
			t.copied[e.Request] = *e
		}
	case faults.Cancel:
		if s := t.sections[t.current[a.Target]]; s == nil || s.Return != 0 && s.Return < e.Seq || t.down[a.Target] {
			return "" // it was in no section
		}
		return "has its section cancelled"
	default:
	}
	return onsetOnLink(e, a, when, length)
}

// onsetOnLink is onset for faults of links and messages, and for kinds that a story
// knows nothing of.
func onsetOnLink(e *history.Event, a faults.Action, when *faults.When, length string) string {
	link := words.Plain(a.From+" -> "+a.To, 50)
	switch a.Kind {
	case faults.Partition:
		return fmt.Sprintf("cuts %s for %s (%s)", link, length, a.Mode)
	case faults.Reset:
		return "resets the connections of " + link
	case faults.Latency:
		return fmt.Sprintf("delays the messages %s for %s", link, length)
	case faults.Loss:
		return fmt.Sprintf("loses %d %% of the messages %s for %s", a.Percent, link, length)
	case faults.Hold:
		return fmt.Sprintf("holds the %s for %s", message(when), length)
	case faults.Drop:
		return "loses the " + message(when)
	case faults.Duplicate:
		return fmt.Sprintf("copies the %s, to deliver it again %s later", message(when), length)
	case faults.Reorder:
		return fmt.Sprintf("keeps back the %s until another one overtakes it, for %s at most", message(when), length)
	case faults.Error:
		return fmt.Sprintf("lets the server answer the %s with the error %s", message(when), words.Plain(a.Text, 40))
	default:
	}
	text := words.Plain(e.Kind, 20) + " hits " + words.Plain(e.Target, 30)
	if lasts(e, a) > 0 {
		text += " for " + length
	}
	return text
}

// halts is a text about a process that is stopped, "" if it has crashed before.
func (t *teller) halts(target, text string) string {
	if t.down[target] {
		return ""
	}
	return strings.TrimSpace(text)
}

// taken names the keys that a fault took away, but for locks that the story is not
// about, and for a lease whose end is told by itself.
func (t *teller) taken(e *history.Event, how string) string {
	var keys []string
	for key := range strings.SplitSeq(e.Hit, ", ") {
		alone := t.run.History.Meta.Quorum <= 1 && t.scope.About(key) && t.lock(key).worker != ""
		if key != "" && !t.strange[key] && !alone {
			keys = append(keys, key)
		}
	}
	list := words.Plain(strings.Join(keys, ", "), 60)
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return "key " + list + " is " + how
	}
	return "keys " + list + " are " + how
}

// healing says how a fault lets go, "" where nobody misses it or something else
// tells of it.
func (t *teller) healing(a faults.Action) (string, weight) {
	link := words.Plain(a.From+" -> "+a.To, 50)
	switch a.Kind {
	case faults.Crash:
		if server := !slices.Contains(t.run.History.Meta.Workers, a.Target) && a.Target != "resource"; server || !t.down[a.Target] {
			return "", routine
		}
		delete(t.down, a.Target)
		return "starts again", work
	case faults.Stall:
		return fmt.Sprintf("has its task %s go on", words.Plain(a.Task, 20)), work
	case faults.ClockStep:
		return fmt.Sprintf("has its wall clock moved by %v", -a.By), work
	case faults.ClockRate:
		return fmt.Sprintf("has its %s clock run at the right rate again", a.Clock), work
	case faults.Pause, faults.Suspend:
		if t.down[a.Target] {
			return "", routine
		}
		if t.deluded(a.Target) {
			return "wakes, and believes it still holds", turning
		}
		return "wakes", work
	case faults.Partition:
		return "heals " + link, work
	case faults.Latency:
		return "delays the messages " + link + " no longer", work
	case faults.Loss:
		return "loses no more messages " + link, work
	case faults.Overload:
		return "is no longer overloaded", work
	case faults.AnswerErrors:
		return fmt.Sprintf("refuses nothing any more (%s)", a.With), work
	case faults.Stale:
		return "answers reads with what is there again", work
	case faults.Hold, faults.Drop, faults.Duplicate, faults.Reorder, faults.Error, faults.Overrun:
		return "", routine
	default:
	}
	return fmt.Sprintf("%s ends", words.Plain(string(a.Kind), 20)), work
}

// refusedBy says which commands a server refuses with the error.
func refusedBy(with faults.Code) string {
	switch with {
	case faults.CodeReadOnly, faults.CodeDisk:
		return "writes"
	case faults.CodeMemory:
		return "what needs memory"
	case faults.CodeClusterDown:
		return "commands with keys"
	case faults.CodeLoading:
	}
	return "all commands"
}

// deluded reports whether a worker believes to hold a lock that it has lost.
func (t *teller) deluded(worker string) bool {
	return t.spoken && slices.ContainsFunc(t.scope.locks, func(key string) bool {
		return t.believesItself(worker, key) && t.lock(key).worker != worker
	})
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
