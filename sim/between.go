package sim

import "time"

// Deliver sends a message from the server of one node to that of another, and calls do when it is
// handled there. It is for protocols between servers, which use no connection of this package.
// Messages keep their order and have the latency of the link. As over TCP, they wait while the link
// is cut, and while the receiver is stopped. The caller has to check whether the receiver is down.
func (w *World) Deliver(from, to *Node, do func()) {
	l := w.link(from, to)
	t := l.inTrouble()
	t.delivered = max(w.now+l.delay(&message{pipe: &pipe{link: l}}), t.delivered)
	w.At(time.Duration(t.delivered), func() { w.WhenOpen(from, to, func() { to.WhenAwake(do) }) })
}

// WhenAwake calls do at once, or when the node wakes if it is stopped.
func (n *Node) WhenAwake(do func()) {
	if n.stopped() {
		n.missed = append(n.missed, funcFirer(do))
		return
	}
	do()
}

// Reaches reports whether messages between the servers of two nodes arrive now, in both directions.
func (w *World) Reaches(a, b *Node) bool {
	return w.link(a, b).open() && w.link(b, a).open() && !a.stopped() && !b.stopped()
}
