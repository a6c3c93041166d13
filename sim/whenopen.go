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
	t := l.inTrouble()
	t.waiting = append(t.waiting, do)
}

func (l *link) open() bool { return l.drops+l.holds == 0 }

// runWaiting calls the functions that wait for the link, if it is open.
func (l *link) runWaiting() {
	t := l.inTrouble()
	for l.open() && len(t.waiting) > 0 {
		do := t.waiting[0]
		t.waiting = t.waiting[1:]
		do()
	}
}
