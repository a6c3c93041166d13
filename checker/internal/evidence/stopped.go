package evidence

import (
	"cmp"
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
	var out Stretches
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
	i, _ := slices.BinarySearchFunc(s, from, func(x Stretch, t time.Duration) int { return cmp.Compare(x.To, t) })
	var out []Stretch
	for ; i < len(s) && s[i].From < to; i++ {
		if x := (Stretch{max(s[i].From, from), min(s[i].To, to)}); x.From < x.To {
			out = append(out, x)
		}
	}
	return out
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
func (s Stretches) Covers(at time.Duration) bool {
	return slices.ContainsFunc(s, func(x Stretch) bool { return x.From <= at && at <= x.To })
}

// Touches reports whether any time between from and to is in s.
func (s Stretches) Touches(from, to time.Duration) bool {
	return slices.ContainsFunc(s, func(x Stretch) bool { return x.From <= to && from <= x.To })
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
			ofWorker := slices.Contains(in.Meta.Workers, f.Target) && (f.slows() || f.Effect == history.EffectSteps)
			if !ofWorker && !in.Tolerated(f.Target) {
				list = append(list, Stretch{f.From, f.To + in.AnswerTimeout()})
			}
		}
		in.troubles = Union(list)
	}
	return in.troubles
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
	for _, f := range in.Faults() {
		if counts(f) && !in.Unrelated(f, worker) && !in.Tolerated(f.Target) {
			list = append(list, Stretch{f.From, f.To + in.AnswerTimeout()})
		}
	}
	return Union(list)
}

// Unrelated reports whether a fault is of another worker, or of a link of other workers.
func (in *Evidence) Unrelated(f Fault, worker string) bool {
	from, to, link := strings.Cut(f.Target, "->")
	if link {
		betweenServers := serves(from) && serves(to)
		return from != worker && to != worker && !betweenServers
	}
	return f.Target != worker && slices.Contains(in.Meta.Workers, f.Target)
}

// serves reports whether a node is a server of the lock.
func serves(node string) bool { return node == "lock" || strings.HasPrefix(node, "lock-") }

// Disturbed reports whether between from and to a fault may have changed what happened between a
// worker and the servers: a fault of the worker, of one of its links, or of any server. Its
// consequences last for another answer timeout and lease, such as a late message, a grant without
// an owner, or a server that waits before it answers again. Faults with the effect without are
// ignored.
func (in *Evidence) Disturbed(worker string, from, to time.Duration, without history.Effect) bool {
	return slices.ContainsFunc(in.Faults(), func(f Fault) bool {
		return f.Effect != without && !in.Unrelated(f, worker) && f.From <= to && from <= f.To+in.AnswerTimeout()+in.Meta.TTL
	})
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
	Open bool // it has no end
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
			list = append(list, Fault{e, Stretch{e.At, in.EndAt()}, true})
		case history.FaultEnd:
			key := id{e.Fault, e.Target}
			if at, ok := open[key]; ok {
				list[at].To, list[at].Open = max(e.At, e.Until), false
				delete(open, key)
			}
		default:
		}
	}
	in.begun = list
	return list
}
