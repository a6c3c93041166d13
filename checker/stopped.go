package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

// stretches are times, in order and apart from each other.
type stretches []stretch

type stretch struct{ from, to time.Duration }

// union puts stretches in order and makes one of those that meet. It keeps
// the list that it is given for itself.
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

// beside returns how much of the time between from and to is not in s.
func (s stretches) beside(from, to time.Duration) time.Duration {
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

// touches reports whether any time from one to another is in s.
func (s stretches) touches(from, to time.Duration) bool {
	return slices.ContainsFunc(s, func(x stretch) bool { return x.from <= to && from <= x.to })
}

// stopped returns when each worker could not be expected to do anything: its
// process, its node or one of its tasks stood still, or its clock went at a
// rate of its own, so that nobody can say what its time-outs were worth. What
// has no end lasts to the end of the history.
func (in *input) stopped() map[string]stretches {
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

// slows reports whether a fault keeps its target from getting on in time.
func (f fault) slows() bool {
	return f.Effect == history.EffectStops || f.Effect == history.EffectSkews
}

// troubled returns when something was wrong that kept messages or servers from
// their work, and the time after it in which a client may still wait for an
// answer or a connection.
func (in *input) troubled() stretches {
	if in.troubles == nil {
		list := []stretch{}
		for _, f := range in.faults() {
			ofWorker := slices.Contains(in.Meta.Workers, f.Target) && (f.slows() || f.Effect == history.EffectSteps)
			if !ofWorker && !in.spared(f.Target) {
				list = append(list, stretch{f.from, f.to + in.answer()})
			}
		}
		in.troubles = union(list)
	}
	return in.troubles
}

// hindered returns when a worker could not be expected to get on: it was
// stopped, or something was wrong with one of its links or messages or with a
// server. A client may still wait for an answer after that.
func (in *input) hindered(worker string) stretches {
	return in.hinderedBy(worker, func(fault) bool { return true })
}

// hinderedBy is hindered by some faults only.
func (in *input) hinderedBy(worker string, counts func(fault) bool) stretches {
	list := slices.Clone(in.stopped()[worker])
	for _, f := range in.faults() {
		if counts(f) && !in.elsewhere(f, worker) && !in.spared(f.Target) {
			list = append(list, stretch{f.from, f.to + in.answer()})
		}
	}
	return union(list)
}

// elsewhere reports whether a fault is of another worker, or of a link that is not
// the worker's.
func (in *input) elsewhere(f fault, worker string) bool {
	from, to, link := strings.Cut(f.Target, "->")
	if link {
		return from != worker && to != worker
	}
	return f.Target != worker && slices.Contains(in.Meta.Workers, f.Target)
}

// disturbed reports whether a fault may have changed what happened between a
// worker and the servers from one time to another: it took hold of the worker, of
// one of its links, or of any server. Its traces last for an answer and a lease
// longer: a late message, a grant without an owner, a server that waits before it
// answers again. Faults of the effect that is left out do not count.
func (in *input) disturbed(worker string, from, to time.Duration, without history.Effect) bool {
	return slices.ContainsFunc(in.faults(), func(f fault) bool {
		return f.Effect != without && !in.elsewhere(f, worker) && f.from <= to && from <= f.to+in.answer()+in.Meta.TTL
	})
}

// spared reports whether a fault is of a single one of several servers, which
// must not keep anybody from the lock.
func (in *input) spared(target string) bool {
	server, _, _ := strings.Cut(target, "->") // "lock" is all of them
	return in.quorum() > 1 && strings.HasPrefix(server, "lock-")
}

// fault is a fault with the time for which it lasted.
type fault struct {
	*history.Event
	stretch
	open bool // it has no end
}

// faults lists the faults of the history, in the order of their begins. What has
// no end lasts to the end of the history.
func (in *input) faults() []fault {
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
