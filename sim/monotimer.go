package sim

import (
	"slices"
	"time"
)

// MonoTimer calls a function after a time on a node's monotonic clock.
type MonoTimer struct {
	event event
	node  *Node
	do    func()
}

// After calls do when the monotonic clock has advanced by d. A stopped node calls it when it wakes.
func (n *Node) After(d time.Duration, do func()) *MonoTimer {
	t := &MonoTimer{node: n, do: do}
	t.event.what = t
	n.arm(&t.event, d)
	return t
}

func (t *MonoTimer) fire() {
	if t.node.stopped() {
		t.node.missed = append(t.node.missed, t)
		return
	}
	t.do()
}

// Stop cancels the timer. It does nothing to a timer that has fired.
func (t *MonoTimer) Stop() {
	t.node.world.cancel(&t.event)
	if i := slices.Index(t.node.missed, firer(t)); i >= 0 {
		t.node.missed = slices.Delete(t.node.missed, i, i+1)
	}
}
