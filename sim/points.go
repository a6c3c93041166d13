package sim

// pointID identifies a point.
type pointID int

// pointTable numbers the names of points.
type pointTable struct {
	ids        map[string]pointID
	names      []string
	operations map[string]*callPoints
}

func newPointTable() pointTable {
	return pointTable{ids: map[string]pointID{}, operations: map[string]*callPoints{}}
}

func (p *pointTable) id(name string) pointID {
	id, ok := p.ids[name]
	if !ok {
		id = pointID(len(p.names))
		p.ids[name] = id
		p.names = append(p.names, name)
	}
	return id
}

// unnamed returns a number that no point has.
func (p *pointTable) unnamed() pointID {
	p.names = append(p.names, "")
	return pointID(len(p.names) - 1)
}

// callPoints are the four points of a request, and the numbers of its entries in the trace, see stamps.
type callPoints struct {
	sent, applied, replied, taken                                   pointID
	sentEntry, arrivedEntry, appliedEntry, repliedEntry, takenEntry pointID
}

// of returns the points of an operation.
func (p *pointTable) of(op string) *callPoints {
	c := p.operations[op]
	if c == nil {
		c = &callPoints{
			sent: p.id(op + ".sent"), applied: p.id(op + ".applied"),
			replied: p.id(op + ".replied"), taken: p.id(op + ".taken"),
			sentEntry: p.unnamed(), arrivedEntry: p.unnamed(), appliedEntry: p.unnamed(), repliedEntry: p.unnamed(), takenEntry: p.unnamed(),
		}
		p.operations[op] = c
	}
	return c
}

// hook counts the visits of a worker to a point, and has the functions to call at some of them.
type hook struct {
	visits int
	wanted map[int][]func()
}

// OnPoint calls do when the worker reaches the point for the nth time, counted from 1. The effect
// of do applies while the worker is there.
func (k *Worker) OnPoint(point string, nth int, do func()) {
	id := k.process.node.world.points.id(point)
	if k.hooks == nil {
		k.hooks = map[pointID]*hook{}
	}
	h := k.hooks[id]
	if h == nil {
		h = &hook{wanted: map[int][]func(){}}
		k.hooks[id] = h
	}
	h.wanted[nth] = append(h.wanted[nth], do)
}

// pass records that the worker has reached a point, and calls the functions tied to it. It takes no
// time.
func (k *Worker) pass(id pointID) {
	w := k.process.node.world
	w.noteOften(&k.stamps, id, kindPoint, k.name, w.points.names[id], 0, nil)
	if w.cfg.Visit != nil {
		w.cfg.Visit(w.Time(), k.name, w.points.names[id])
	}
	h := k.hooks[id]
	if h == nil {
		return
	}
	h.visits++
	for _, do := range h.wanted[h.visits] {
		do()
	}
}
