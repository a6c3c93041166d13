package evidence

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

// Stretches are disjoint intervals of virtual time, in order.
type Stretches []Stretch

// Stretch is an interval of virtual time.
type Stretch struct{ From, To time.Duration }

// Union sorts stretches and merges those that overlap or touch. It reorders the given list.
func Union(list []Stretch) Stretches {
	slices.SortFunc(list, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	out := Stretches{}
	for _, x := range list {
		if last := len(out) - 1; last >= 0 && x.From <= out[last].To {
			out[last].To = max(out[last].To, x.To)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Within returns the parts of s that lie between from and to.
func (s Stretches) Within(from, to time.Duration) []Stretch {
	var out []Stretch
	for _, x := range s.Near(from, to) {
		if x = (Stretch{max(x.From, from), min(x.To, to)}); x.From < x.To {
			out = append(out, x)
		}
	}
	return out
}

// Near returns the stretches of s that overlap or touch the time between from and to, as they are.
func (s Stretches) Near(from, to time.Duration) Stretches {
	first, _ := slices.BinarySearchFunc(s, from, func(x Stretch, t time.Duration) int { return cmp.Compare(x.To, t) })
	end := first
	for end < len(s) && s[end].From <= to {
		end++
	}
	return s[first:end]
}

// Outside returns how much of the time between from and to is not in s.
func (s Stretches) Outside(from, to time.Duration) time.Duration {
	left := max(0, to-from)
	for _, x := range s.Within(from, to) {
		left -= x.To - x.From
	}
	return left
}

// Covers reports whether at is in s.
func (s Stretches) Covers(at time.Duration) bool { return s.Touches(at, at) }

// Touches reports whether any time between from and to is in s.
func (s Stretches) Touches(from, to time.Duration) bool {
	i, _ := slices.BinarySearchFunc(s, from, func(x Stretch, t time.Duration) int { return cmp.Compare(x.To, t) })
	return i < len(s) && s[i].From <= to
}

// Stopped returns when each worker could not be expected to act in time: its process, its node or
// one of its tasks was stopped, or its clock ran at a wrong rate, which makes its timeouts
// worthless. A fault without an end lasts to the end of the history.
func (in *Evidence) Stopped() map[string]Stretches {
	if in.stops != nil {
		return in.stops
	}
	lists := map[string][]Stretch{}
	for _, f := range in.Faults() {
		if f.slows() {
			lists[f.Target] = append(lists[f.Target], f.Stretch)
		}
	}
	in.stops = make(map[string]Stretches, len(lists))
	for target, list := range lists {
		in.stops[target] = Union(list)
	}
	return in.stops
}

// slows reports whether a fault keeps its target from acting in time.
func (f Fault) slows() bool {
	return f.Effect == history.EffectStops || f.Effect == history.EffectSkews
}

// Troubled returns when a fault hindered messages or servers, and the answer timeout after it, in
// which a client may still wait for an answer or a connection.
func (in *Evidence) Troubled() Stretches {
	if in.troubles == nil {
		list := []Stretch{}
		for _, f := range in.Faults() {
			ofWorker := in.isWorker(f.Target) && (f.slows() || f.Effect == history.EffectSteps)
			if !ofWorker && !in.Tolerated(f.Target) {
				list = append(list, Stretch{f.From, f.To + in.AnswerTimeout()})
			}
		}
		in.troubles = Union(list)
	}
	return in.troubles
}

// Served returns when the servers of the lock have run for d since the given time, without the time in which they were stopped.
func (in *Evidence) Served(from, d time.Duration) time.Duration {
	end := from + d
	for _, x := range in.serversStopped() {
		if x.From < end && x.To > from {
			end += x.To - max(x.From, from)
		}
	}
	return end
}

// serversStopped returns when the servers of the lock were stopped: all of them, or two of a replicated service.
// A service with one stopped member goes on: a new leader takes over if it was the leader.
func (in *Evidence) serversStopped() Stretches {
	if in.frozen == nil {
		var all, members []Fault
		for _, f := range in.Faults() {
			switch {
			case f.Effect != history.EffectStops || !serves(f.Target):
			case f.Target == "lock":
				all = append(all, f)
			default:
				members = append(members, f)
			}
		}
		list := []Stretch{}
		for _, f := range all {
			list = append(list, f.Stretch)
		}
		for i, f := range members {
			for _, other := range members[:i] {
				if both := (Stretch{max(f.From, other.From), min(f.To, other.To)}); f.Target != other.Target && both.From < both.To {
					list = append(list, both)
				}
			}
		}
		in.frozen = Union(list)
	}
	return in.frozen
}

// Takeovers returns when a replica became the primary.
func (in *Evidence) Takeovers() []time.Duration {
	if in.taken == nil {
		in.taken = []time.Duration{}
		for i := range in.Events {
			if in.Events[i].Type == history.Promoted {
				in.taken = append(in.taken, in.Events[i].At)
			}
		}
	}
	return in.taken
}

// Hindered returns when a worker could not be expected to make progress: it was stopped, or a fault
// affected one of its links or messages or a server, and the answer timeout after that.
func (in *Evidence) Hindered(worker string) Stretches {
	return in.HinderedBy(worker, func(Fault) bool { return true })
}

// HinderedBy does the same as hindered, but considers only the faults for which counts returns
// true.
func (in *Evidence) HinderedBy(worker string, counts func(Fault) bool) Stretches {
	list := slices.Clone(in.Stopped()[worker])
	for f := range in.FaultsOf(worker) {
		if counts(f) && !in.Tolerated(f.Target) {
			list = append(list, Stretch{f.From, f.To + in.AnswerTimeout()})
		}
	}
	return Union(list)
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
		case link && serves(from) && serves(to), !link && !in.isWorker(f.Target):
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
func (in *Evidence) isWorker(name string) bool {
	if in.workers == nil {
		in.workers = make(map[string]bool, len(in.Meta.Workers))
		for _, name := range in.Meta.Workers {
			in.workers[name] = true
		}
	}
	return in.workers[name]
}

// serves reports whether a node is a server of the lock.
func serves(node string) bool { return node == "lock" || strings.HasPrefix(node, "lock-") }

// Disturbed reports whether between from and to a fault may have changed what happened between a
// worker and the servers: a fault of the worker, of one of its links, or of any server. Its
// consequences last for another answer timeout and lease, such as a late message, a grant without
// an owner, or a server that waits before it answers again. Faults with the effect without are
// ignored.
func (in *Evidence) Disturbed(worker string, from, to time.Duration, without history.Effect) bool {
	for f := range in.FaultsOf(worker) {
		if f.Effect != without && f.From <= to && from <= f.To+in.AnswerTimeout()+in.Meta.TTL {
			return true
		}
	}
	return false
}

// Tolerated reports whether a fault is of a single server of several, which a quorum has to
// tolerate.
func (in *Evidence) Tolerated(target string) bool {
	server, _, _ := strings.Cut(target, "->") // "lock" is all of them
	return in.Quorum() > 1 && strings.HasPrefix(server, "lock-")
}

// Fault is a fault with the time in which it was in force.
type Fault struct {
	*history.Event
	Stretch
	Open    bool // it has no end
	Outlast bool // messages that it has delayed arrived after its end
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
			list = append(list, Fault{Event: e, Stretch: Stretch{e.At, in.EndAt()}, Open: true})
		case history.FaultEnd:
			key := id{e.Fault, e.Target}
			if at, ok := open[key]; ok {
				list[at].To, list[at].Open, list[at].Outlast = max(e.At, e.Until), false, e.Until > e.At
				delete(open, key)
			}
		default:
		}
	}
	in.begun = list
	return list
}
