package sim

// stamp is an entry of the trace that occurs many times: only its time and its number differ.
type stamp struct {
	kind        kind
	actor, what string
	entry       string // with time 0 and number 0
}

// stamps has the stamps of one actor, by the number of what its entries are about.
type stamps []*stamp

// mostStamps bounds the stamps of a world, which take about 0.1 KB each. A world with many workers writes most entries
// without.
const mostStamps = 2_000

// noteOften adds an entry that an actor repeats with other numbers; id is the number of its stamp. The
// payload may be nil.
func (w *World) noteOften(of *stamps, id pointID, k kind, actor, what string, number int64, payload any) {
	if int(id) < len(*of) && (*of)[id] != nil {
		w.trace.beginStamped((*of)[id], w.now, number)
	} else {
		w.stamp(of, id, k, actor, what)
		w.trace.begin(w.now, k, actor, what, number)
	}
	if payload != nil {
		w.trace.payload(payload)
	}
	if len(w.trace.buffer) > mostBuffered || w.trace.out != nil {
		w.trace.end()
	}
}

// stamp makes the stamp of an entry, unless the world has too many.
func (w *World) stamp(of *stamps, id pointID, k kind, actor, what string) {
	if w.stamps == mostStamps {
		return
	}
	w.stamps++
	for len(*of) <= int(id) {
		*of = append(*of, nil)
	}
	(*of)[id] = &stamp{k, actor, what, string(appendEntry(nil, 0, k, actor, what, 0))}
}
