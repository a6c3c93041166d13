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

// stopped returns when each worker could not be expected to do anything: its
// process, its node or one of its tasks stood still, or its clock went at a
// rate of its own, so that nobody can say what its time-outs were worth. What
// has no end lasts to the end of the history.
func (in *input) stopped() map[string]stretches {
	if in.stops != nil {
		return in.stops
	}
	lists := map[string][]stretch{}
	in.eachFault(func(e *history.Event, x stretch) {
		switch e.Kind {
		case "pause", "stall", "suspend", "clock-rate":
			lists[e.Target] = append(lists[e.Target], x)
		}
	})
	in.stops = make(map[string]stretches, len(lists))
	for target, list := range lists {
		in.stops[target] = union(list)
	}
	return in.stops
}

// troubled returns when something was wrong that kept messages or servers from
// their work, and the time after it in which a client may still wait for an
// answer or a connection.
func (in *input) troubled() stretches {
	if in.troubles == nil {
		list := []stretch{}
		in.eachFault(func(e *history.Event, x stretch) {
			switch {
			case in.spared(e.Target):
			case slices.Contains([]string{"pause", "stall", "suspend", "clock-rate", "clock-step"}, e.Kind):
				if !slices.Contains(in.Meta.Workers, e.Target) {
					list = append(list, stretch{x.from, x.to + in.answer()})
				}
			default:
				list = append(list, stretch{x.from, x.to + in.answer()})
			}
		})
		in.troubles = union(list)
	}
	return in.troubles
}

// hindered returns when a worker could not be expected to get on: it was
// stopped, or something was wrong with one of its links or messages or with a
// server. A client may still wait for an answer after that.
func (in *input) hindered(worker string) stretches {
	list := slices.Clone(in.stopped()[worker])
	in.eachFault(func(e *history.Event, x stretch) {
		from, to, link := strings.Cut(e.Target, "->")
		switch {
		case in.spared(e.Target), link && from != worker && to != worker, !link && e.Target != worker && slices.Contains(in.Meta.Workers, e.Target):
		default:
			list = append(list, stretch{x.from, x.to + in.answer()})
		}
	})
	return union(list)
}

// spared reports whether a fault is of a single one of several servers, which
// must not keep anybody from the lock.
func (in *input) spared(target string) bool {
	return in.quorum() > 1 && strings.HasPrefix(target, "lock-")
}

// eachFault calls f for every fault, in the order of their begins. What has no
// end lasts to the end of the history.
func (in *input) eachFault(f func(e *history.Event, x stretch)) {
	type fault struct {
		step   int
		target string
	}
	type open struct {
		event *history.Event
		x     stretch
	}
	begun := map[fault]int{} // position in list
	var list []open
	for i := range in.Events {
		e := &in.Events[i]
		key := fault{e.Fault, e.Target}
		switch e.Type {
		case history.FaultBegin:
			begun[key] = len(list)
			list = append(list, open{e, stretch{e.At, in.endAt()}})
		case history.FaultEnd:
			if at, ok := begun[key]; ok {
				list[at].x.to = e.At
				delete(begun, key)
			}
		default:
		}
	}
	for _, o := range list {
		f(o.event, o.x)
	}
}

// endAt is the time of the last event.
func (in *input) endAt() time.Duration {
	if len(in.Events) == 0 {
		return 0
	}
	return in.Events[len(in.Events)-1].At
}
