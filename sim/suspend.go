package sim

import (
	"slices"
	"time"
)

// Suspend puts the node to sleep for d of true time, as a laptop's lid or a
// hypervisor does: its processes and its server stop, its monotonic clock
// stands still, and its wall clock is right again when it wakes. Suspensions
// that overlap add up.
func (n *Node) Suspend(d time.Duration) {
	w := n.world
	w.note(kindPause, n.name, "suspend", int64(d))
	if n.suspended++; n.suspended == 1 {
		n.setMono(standstill)
	}
	for _, p := range n.processes {
		p.stops++
	}
	w.At(w.Time()+d, n.wake)
}

func (n *Node) wake() {
	n.world.note(kindResume, n.name, "suspend", 0)
	if n.suspended--; n.suspended == 0 {
		n.setMono(n.awakePPM)
	}
	for _, p := range n.processes {
		p.resume()
	}
	if n.suspended > 0 {
		return
	}
	missed, inbox := n.missed, n.inbox
	n.missed, n.inbox = nil, nil
	for _, t := range missed {
		t.fire()
	}
	for _, m := range inbox {
		m.fire()
	}
}

// Stall stops the worker's tasks of one name for d of true time: its other
// tasks go on. A task that begins meanwhile is stopped too.
func (k *Worker) Stall(name string, d time.Duration) {
	w := k.process.node.world
	w.note(kindPause, k.name, name, int64(d))
	if k.stalled == nil {
		k.stalled = map[string]int{}
	}
	k.stalled[name]++
	w.At(w.Time()+d, func() {
		w.note(kindResume, k.name, name, 0)
		if k.stalled[name]--; k.stalled[name] > 0 {
			return
		}
		k.stuck = slices.DeleteFunc(k.stuck, func(t *task) bool {
			if t.name == name {
				w.ready.push(t)
			}
			return t.name == name
		})
	})
}

// Restart starts the program of a crashed worker again, in a new process on
// the same node. The worker keeps its name and its points; its random numbers
// are new ones.
func (k *Worker) Restart() *Worker {
	p := k.process.node.Process(k.process.name)
	return &Worker{process: p, name: k.name, hooks: k.hooks, life: k.life + 1}
}

// ResetConns breaks the connections of the process to a node for both ends,
// as a load balancer or a restarted peer does.
func (p *Process) ResetConns(node string) {
	for _, c := range slices.Clone(p.conns) {
		if c.node.name == node {
			c.reset()
		}
	}
}
