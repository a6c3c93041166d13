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

	stoppedAt  int64 // when the present stop began
	stoppedFor int64 // true time for which it was stopped, before the present stop

	waking    waking
	heldTasks []*task // ready when the process stopped, in order
}

// Process starts a program on the node.
func (n *Node) Process(name string) *Process {
	p := &Process{node: n, name: name, stops: n.suspended + n.frozen, stoppedAt: n.world.now}
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
	p.stop()
	w.At(w.Time()+d, p.resume)
}

// Paused reports whether the process is stopped.
func (p *Process) Paused() bool { return p.stops > 0 }

// stop is the beginning of a pause.
func (p *Process) stop() {
	if p.stops == 0 {
		p.stoppedAt = p.node.world.now
	}
	p.stops++
}

// resume is the end of one. The process goes on if nothing else stops it.
func (p *Process) resume() {
	w := p.node.world
	if p.stops--; p.stops > 0 || p.crashed {
		return
	}
	p.stoppedFor += w.now - p.stoppedAt
	w.note(kindResume, p.name, "", 0)
	for _, t := range p.heldTasks {
		w.ready.push(t)
	}
	p.heldTasks = p.heldTasks[:0]
	p.wake()
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
