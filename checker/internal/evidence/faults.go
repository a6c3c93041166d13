package evidence

import (
	"iter"
	"strings"
	"time"

	"lockquake/history"
)

// Fault is a fault with the time in which it was in force.
type Fault struct {
	*history.Event
	Stretch
	Target string        // that of the event, or another worker of the same process
	Open   bool          // it has no end
	Healed time.Duration // when it ended; To is later if messages that it has delayed arrived after that
}

// Faults returns the faults of the history, in the order of their starts. A fault without an end
// lasts to the end of the history. A fault that delays messages lasts until the last of them
// arrives, if the history says so.
func (in *Evidence) Faults() []Fault {
	if in.begun != nil {
		return in.begun
	}
	type id struct {
		step   int
		target string
	}
	open := map[id]int{} // position in list
	list := []Fault{}
	for i := range in.Events {
		e := &in.Events[i]
		switch e.Type {
		case history.FaultBegin:
			open[id{e.Fault, e.Target}] = len(list)
			list = append(list, Fault{Event: e, Target: e.Target, Stretch: Stretch{e.At, in.EndAt()}, Open: true})
		case history.FaultEnd:
			key := id{e.Fault, e.Target}
			if at, ok := open[key]; ok {
				list[at].To, list[at].Open, list[at].Healed = max(e.At, e.Until), false, e.At
				delete(open, key)
			}
		default:
		}
	}
	in.begun = in.ofProcesses(list)
	return in.begun
}

// ofProcesses adds the faults of a worker, of its clock and of its links to the other workers of its process. A stall stops
// one task of one worker only.
func (in *Evidence) ofProcesses(faults []Fault) []Fault {
	if in.Meta.Processes == 0 {
		return faults
	}
	var list []Fault
	for _, f := range faults {
		list = append(list, f)
		from, to, link := strings.Cut(f.Target, "->")
		switch {
		case link:
			for _, mate := range in.mates(from) {
				list = append(list, f.of(mate+"->"+to))
			}
			for _, mate := range in.mates(to) {
				list = append(list, f.of(from+"->"+mate))
			}
		case f.Kind != "stall" && f.slows() || f.Effect == history.EffectSteps:
			for _, mate := range in.mates(from) {
				list = append(list, f.of(mate))
			}
		}
	}
	return list
}

// of returns the same fault of another target.
func (f Fault) of(target string) Fault {
	f.Target = target
	return f
}

// mates returns the other workers of the process of a worker.
func (in *Evidence) mates(worker string) []string {
	number := in.numberOf(worker)
	if number == 0 {
		return nil
	}
	var list []string
	for i := (number - 1) % in.Meta.Processes; i < len(in.Meta.Workers); i += in.Meta.Processes {
		if i != number-1 {
			list = append(list, in.Meta.Workers[i])
		}
	}
	return list
}

// FaultsOf yields the faults that concern a worker: its own, those of its links, and those of
// servers and of links between them. The latter come first.
func (in *Evidence) FaultsOf(worker string) iter.Seq[Fault] {
	if in.others == nil {
		in.sortFaults()
	}
	return func(yield func(Fault) bool) {
		for _, list := range [][]Fault{in.common, in.others[worker]} {
			for _, f := range list {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// sortFaults finds the faults of each worker and of its links, so that a history with many workers
// and their faults is not searched for each of them.
func (in *Evidence) sortFaults() {
	in.others = map[string][]Fault{}
	for _, f := range in.Faults() {
		from, to, link := strings.Cut(f.Target, "->")
		switch {
		case link && Serves(from) && Serves(to), !link && !in.isWorker(f.Target):
			in.common = append(in.common, f)
		case link && from != to:
			in.others[from] = append(in.others[from], f)
			in.others[to] = append(in.others[to], f)
		default:
			in.others[from] = append(in.others[from], f)
		}
	}
}

// isWorker reports whether a name is that of a worker.
func (in *Evidence) isWorker(name string) bool { return in.numberOf(name) > 0 }

// numberOf returns the number of a worker, from 1; 0 if no worker has the name.
func (in *Evidence) numberOf(name string) int {
	if in.workers == nil {
		in.workers = make(map[string]int, len(in.Meta.Workers))
		for i, name := range in.Meta.Workers {
			in.workers[name] = i + 1
		}
	}
	return in.workers[name]
}

// Serves reports whether a node is a server of the lock.
func Serves(node string) bool { return node == "lock" || strings.HasPrefix(node, "lock-") }
