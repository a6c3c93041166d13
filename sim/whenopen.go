package sim

// WhenOpen calls do as soon as no cut blocks the link from one node to another: at once if none
// does, otherwise when the last cut heals, in the order of the calls. It is for messages between
// two servers that do not use a connection of this package.
func (w *World) WhenOpen(from, to *Node, do func()) {
	l := w.link(from, to)
	if l.open() {
		do()
		return
	}
	l.waiting = append(l.waiting, do)
}

func (l *link) open() bool { return l.drops+l.holds == 0 }

// runWaiting calls the functions that wait for the link, if it is open.
func (l *link) runWaiting() {
	for l.open() && len(l.waiting) > 0 {
		do := l.waiting[0]
		l.waiting = l.waiting[1:]
		do()
	}
}
