package sim

import (
	"slices"
	"time"
)

// Suspend puts the node to sleep for d of true time, as closing a laptop or a hypervisor does: its
// processes and its server stop, its monotonic clock stops, and its wall clock is right again when
// it wakes. Suspensions that overlap last until the last one ends.
func (n *Node) Suspend(d time.Duration) {
	w := n.world
	w.note(kindPause, n.name, "suspend", int64(d))
	if n.suspended++; n.suspended == 1 {
		n.setMono(stoppedPPM)
	}
	n.checkReach()
	n.stop()
	w.At(w.Time()+d, func() {
		w.note(kindResume, n.name, "suspend", 0)
		if n.suspended--; n.suspended == 0 {
			n.setMono(n.awakePPM)
		}
		n.checkReach()
		n.resume()
	})
}

// Freeze stops the node's server and all its processes for d of true time, as SIGSTOP does, while
// both clocks go on. Its kernel still opens connections. Requests and wall timers wait, and are
// handled in order when the last freeze and the last suspension have ended. A server that is
// restarted meanwhile is frozen too.
func (n *Node) Freeze(d time.Duration) {
	w := n.world
	w.note(kindPause, n.name, "freeze", int64(d))
	n.frozen++
	n.stop()
	w.At(w.Time()+d, func() {
		w.note(kindResume, n.name, "freeze", 0)
		n.frozen--
		n.resume()
	})
}

// stopped reports whether the node's server is stopped.
func (n *Node) stopped() bool { return n.suspended+n.frozen > 0 }

// stop begins a suspension or a freeze.
func (n *Node) stop() {
	for _, p := range n.processes {
		p.stop()
	}
}

// resume ends a suspension or a freeze.
func (n *Node) resume() {
	for _, p := range n.processes {
		p.resume()
	}
	if n.stopped() {
		return
	}
	// One by one, since a timer may stop the node before the next.
	for len(n.missed) > 0 && !n.stopped() {
		t := n.missed[0]
		n.missed = n.missed[1:]
		t.fire()
	}
	inbox := n.inbox
	n.inbox = nil
	if n.service != nil && n.service.overdue {
		n.service.fire()
	}
	for _, m := range inbox {
		m.fire()
	}
}

// Stall stops the worker's tasks of the given name for d of true time, including those that begin
// in that time. Its other tasks continue. If one of the stalled tasks had anything to do before the
// end, caught is called at the end, unless it is nil.
func (k *Worker) Stall(name string, d time.Duration, caught func()) {
	w := k.process.node.world
	w.note(kindPause, k.name, name, int64(d))
	if k.stalled == nil {
		k.stalled = map[string]int{}
	}
	k.stalled[name]++
	w.At(w.Time()+d, func() {
		w.note(kindResume, k.name, name, 0)
		if caught != nil && slices.ContainsFunc(k.stuck, func(t *task) bool { return t.name == name }) {
			caught()
		}
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
