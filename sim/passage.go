package sim

// WhenOpen calls do as soon as no cut bars the link from one node to another:
// at once if none does, else in order when the last one heals. It is for what
// two servers tell each other without a connection of this package.
func (w *World) WhenOpen(from, to *Node, do func()) {
	l := w.link(from, to)
	if l.open() {
		do()
		return
	}
	l.barred = append(l.barred, do)
}

func (l *link) open() bool { return l.drops+l.holds == 0 }

// letPass calls those that wait for the link, if it is open.
func (l *link) letPass() {
	for l.open() && len(l.barred) > 0 {
		do := l.barred[0]
		l.barred = l.barred[1:]
		do()
	}
}
