package sim

import (
	"fmt"
	"slices"
	"time"
)

// Process is a program that runs on a node, for one or more workers.
type Process struct {
	node    *Node
	name    string
	conns   []*Conn // open, in the order of their making
	stops   int     // how many pauses hold it now
	crashed bool
	onExit  func(worker string, err error)

	lagging   bool // awake again, but not yet aware of what came in meanwhile
	late      []lateEvent
	heldTasks []*task // ready when the process stopped, in order
}

// lateEvent came due while its process was stopped.
type lateEvent struct {
	class class
	at    int64
	event *event // nil: forgotten meanwhile
}

// Process starts a program on the node.
func (n *Node) Process(name string) *Process {
	p := &Process{node: n, name: name, stops: n.suspended + n.frozen}
	n.processes = append(n.processes, p)
	return p
}

// Node returns the machine that the process runs on.
func (p *Process) Node() *Node { return p.node }

// Name returns the name that the process was started with.
func (p *Process) Name() string { return p.name }

// Pause stops all tasks of the process for d of true time, beginning now. Its
// clocks go on. Pauses that overlap add up to one that lasts as long as any of
// them.
func (p *Process) Pause(d time.Duration) {
	w := p.node.world
	w.note(kindPause, p.name, "", int64(d))
	p.stops++
	w.At(w.Time()+d, p.resume)
}

// Paused reports whether the process is stopped.
func (p *Process) Paused() bool { return p.stops > 0 }

func (p *Process) resume() {
	w := p.node.world
	if p.stops--; p.stops > 0 || p.crashed {
		return
	}
	w.note(kindResume, p.name, "", 0)
	// What was running goes on at once.
	for _, t := range p.heldTasks {
		w.ready.push(t)
	}
	p.heldTasks = p.heldTasks[:0]
	steps := slices.Clone(p.late)
	for i, l := range steps {
		if l.class == classStep && l.event != nil {
			p.late[i] = lateEvent{}
			l.event.late = nil
			l.event.what.fire()
		}
	}
	p.lagging = true
	w.At(w.Time()+w.cfg.WakeLag, p.catchUp)
}

// catchUp hands over what came in while the process was stopped.
func (p *Process) catchUp() {
	if p.stops > 0 || p.crashed || !p.lagging {
		return // stopped again: the next waking hands it over
	}
	p.lagging = false
	p.late = slices.DeleteFunc(p.late, func(l lateEvent) bool { return l.event == nil })
	slices.SortStableFunc(p.late, func(a, b lateEvent) int {
		if !p.node.world.cfg.ArrivalFirst && a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return compareOrder(a.at, 0, b.at, 0)
	})
	for len(p.late) > 0 {
		if p.stops > 0 {
			return // stopped again by what it did: the next waking hands over the rest
		}
		e := p.late[0].event
		p.late = p.late[1:]
		if e != nil {
			e.late = nil
			e.what.fire()
			// The tasks that it woke see it before the next one comes.
			w := p.node.world
			w.catchingUp = true
			w.runReady()
			w.catchingUp = false
		}
	}
	p.late = nil
}

// postpone keeps an event for later if the process cannot take it now, and
// reports whether it did.
func (p *Process) postpone(e *event, c class) bool {
	if p.stops == 0 && (!p.lagging || c == classStep) {
		return false
	}
	e.late = p
	p.late = append(p.late, lateEvent{class: c, at: p.node.world.now, event: e})
	return true
}

// forget takes a cancelled event off the late list.
func (p *Process) forget(e *event) {
	e.late = nil
	for i := range p.late {
		if p.late[i].event == e {
			p.late[i].event = nil
		}
	}
}

// Crash ends the process without a word: its tasks never run again, its
// connections break, and what it deferred reaches nobody.
func (p *Process) Crash() {
	if p.crashed {
		return
	}
	p.node.world.note(kindCrash, p.name, "", 0)
	p.crashed = true
	for _, c := range slices.Clone(p.conns) {
		c.vanish()
	}
}

// Crashed reports whether the process has ended.
func (p *Process) Crashed() bool { return p.crashed }

func (p *Process) String() string { return fmt.Sprintf("process %s on %s", p.name, p.node.name) }
