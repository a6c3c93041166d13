package sim

import (
	"slices"
	"time"
)

// Process is a program on a node, with one or more workers.
type Process struct {
	Data any // of the one client library that the process uses; set once

	node       *Node
	name       string
	crashed    bool
	dialled    uint8 // of firstConns, those in use
	stops      int   // number of present stops
	stoppedAt  int64 // when the present stop began
	stoppedFor int64 // total true time of earlier stops
	waking     waking

	firstWorker Worker
	firstTask   task
	firstConns  [2]Conn

	conns     []*Conn // open, in the order of creation
	onExit    func(worker string, err error)
	outsider  *outsider // nil: none
	heldTasks []*task   // tasks that became ready while the process was stopped, in order
}

// Process starts a program on the node.
func (n *Node) Process(name string) *Process {
	p := &n.firstProcess
	if p.node != nil {
		p = &Process{}
	}
	p.node, p.name, p.stops, p.stoppedAt = n, name, n.suspended+n.frozen, n.world.now
	n.processes = append(n.processes, p)
	return p
}

// Node returns the machine that the process runs on.
func (p *Process) Node() *Node { return p.node }

// Name returns the name that the process was started with.
func (p *Process) Name() string { return p.name }

// Pause stops all tasks of the process for d of true time. Its clocks go on. Pauses that overlap
// last until the last one ends.
func (p *Process) Pause(d time.Duration) {
	w := p.node.world
	w.note(kindPause, p.name, "", int64(d))
	p.stop()
	w.At(w.Time()+d, p.resume)
}

// stop begins a stop of the process.
func (p *Process) stop() {
	if p.stops == 0 {
		p.stoppedAt = p.node.world.now
	}
	p.stops++
}

// resume ends a stop. The process goes on if nothing else stops it.
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

// Crash ends the process abruptly: its tasks never run again, its connections break, and its
// deferred calls send nothing.
func (p *Process) Crash() {
	if p.crashed {
		return
	}
	p.node.world.note(kindCrash, p.name, "", 0)
	p.crashed = true
	for _, c := range slices.Clone(p.conns) {
		c.closeAtCrash()
	}
}

// Crashed reports whether the process has ended.
func (p *Process) Crashed() bool { return p.crashed }
