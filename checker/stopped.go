package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

// stretches are disjoint intervals of virtual time, in order.
type stretches []stretch

type stretch struct{ from, to time.Duration }

// union sorts stretches and merges those that overlap or touch. It reorders the given list.
func union(list []stretch) stretches {
	slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var out stretches
	for _, x := range list {
		if last := len(out) - 1; last >= 0 && x.from <= out[last].to {
			out[last].to = max(out[last].to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}

// within returns the parts of s that lie between from and to.
func (s stretches) within(from, to time.Duration) []stretch {
	i, _ := slices.BinarySearchFunc(s, from, func(x stretch, t time.Duration) int { return cmp.Compare(x.to, t) })
	var out []stretch
	for ; i < len(s) && s[i].from < to; i++ {
		if x := (stretch{max(s[i].from, from), min(s[i].to, to)}); x.from < x.to {
			out = append(out, x)
		}
	}
	return out
}

// outside returns how much of the time between from and to is not in s.
func (s stretches) outside(from, to time.Duration) time.Duration {
	left := max(0, to-from)
	for _, x := range s.within(from, to) {
		left -= x.to - x.from
	}
	return left
}

// covers reports whether at is in s.
func (s stretches) covers(at time.Duration) bool {
	return slices.ContainsFunc(s, func(x stretch) bool { return x.from <= at && at <= x.to })
}

// touches reports whether any time between from and to is in s.
func (s stretches) touches(from, to time.Duration) bool {
	return slices.ContainsFunc(s, func(x stretch) bool { return x.from <= to && from <= x.to })
}

// stopped returns when each worker could not be expected to act in time: its process, its node or
// one of its tasks was stopped, or its clock ran at a wrong rate, which makes its timeouts
// worthless. A fault without an end lasts to the end of the history.
func (in *evidence) stopped() map[string]stretches {
	if in.stops != nil {
		return in.stops
	}
	lists := map[string][]stretch{}
	for _, f := range in.faults() {
		if f.slows() {
			lists[f.Target] = append(lists[f.Target], f.stretch)
		}
	}
	in.stops = make(map[string]stretches, len(lists))
	for target, list := range lists {
		in.stops[target] = union(list)
	}
	return in.stops
}

// slows reports whether a fault keeps its target from acting in time.
func (f fault) slows() bool {
	return f.Effect == history.EffectStops || f.Effect == history.EffectSkews
}

// troubled returns when a fault hindered messages or servers, and the answer timeout after it, in
// which a client may still wait for an answer or a connection.
func (in *evidence) troubled() stretches {
	if in.troubles == nil {
		list := []stretch{}
		for _, f := range in.faults() {
			ofWorker := slices.Contains(in.Meta.Workers, f.Target) && (f.slows() || f.Effect == history.EffectSteps)
			if !ofWorker && !in.tolerated(f.Target) {
				list = append(list, stretch{f.from, f.to + in.answerTimeout()})
			}
		}
		in.troubles = union(list)
	}
	return in.troubles
}

// hindered returns when a worker could not be expected to make progress: it was stopped, or a fault
// affected one of its links or messages or a server, and the answer timeout after that.
func (in *evidence) hindered(worker string) stretches {
	return in.hinderedBy(worker, func(fault) bool { return true })
}

// hinderedBy does the same as hindered, but considers only the faults for which counts returns
// true.
func (in *evidence) hinderedBy(worker string, counts func(fault) bool) stretches {
	list := slices.Clone(in.stopped()[worker])
	for _, f := range in.faults() {
		if counts(f) && !in.unrelated(f, worker) && !in.tolerated(f.Target) {
			list = append(list, stretch{f.from, f.to + in.answerTimeout()})
		}
	}
	return union(list)
}

// unrelated reports whether a fault is of another worker, or of a link of other workers.
func (in *evidence) unrelated(f fault, worker string) bool {
	from, to, link := strings.Cut(f.Target, "->")
	if link {
		return from != worker && to != worker
	}
	return f.Target != worker && slices.Contains(in.Meta.Workers, f.Target)
}

// disturbed reports whether between from and to a fault may have changed what happened between a
// worker and the servers: a fault of the worker, of one of its links, or of any server. Its
// consequences last for another answer timeout and lease, such as a late message, a grant without
// an owner, or a server that waits before it answers again. Faults with the effect without are
// ignored.
func (in *evidence) disturbed(worker string, from, to time.Duration, without history.Effect) bool {
	return slices.ContainsFunc(in.faults(), func(f fault) bool {
		return f.Effect != without && !in.unrelated(f, worker) && f.from <= to && from <= f.to+in.answerTimeout()+in.Meta.TTL
	})
}

// tolerated reports whether a fault is of a single server of several, which a quorum has to
// tolerate.
func (in *evidence) tolerated(target string) bool {
	server, _, _ := strings.Cut(target, "->") // "lock" is all of them
	return in.quorum() > 1 && strings.HasPrefix(server, "lock-")
}

// fault is a fault with the time in which it was in force.
type fault struct {
	*history.Event
	stretch
	open bool // it has no end
}

// faults returns the faults of the history, in the order of their starts. A fault without an end
// lasts to the end of the history.
func (in *evidence) faults() []fault {
	if in.begun != nil {
		return in.begun
	}
	type id struct {
		step   int
		target string
	}
	open := map[id]int{} // position in list
	list := []fault{}
	for i := range in.Events {
		e := &in.Events[i]
		switch e.Type {
		case history.FaultBegin:
			open[id{e.Fault, e.Target}] = len(list)
			list = append(list, fault{e, stretch{e.At, in.endAt()}, true})
		case history.FaultEnd:
			key := id{e.Fault, e.Target}
			if at, ok := open[key]; ok {
				list[at].to, list[at].open = e.At, false
				delete(open, key)
			}
		default:
		}
	}
	in.begun = list
	return list
}
