package evidence

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

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
		in.troubles = Union(in.hindering(func(yield func(Fault) bool) {
			for _, f := range in.Faults() {
				ofWorker := in.isWorker(f.Target) && (f.slows() || f.Effect == history.EffectSteps)
				if !ofWorker && !yield(f) {
					return
				}
			}
		}))
	}
	return in.troubles
}

// Served returns when the server with the given name has run for d since the given time, without the time in which the servers of
// the lock were stopped, or the server itself if it is one of several independent ones.
func (in *Evidence) Served(node string, from, d time.Duration) time.Duration {
	end, stopped := from+d, in.serversStopped()
	if in.Meta.Nodes > 1 {
		stopped = Union(slices.Concat(stopped, in.Stopped()[node]))
	}
	for _, x := range stopped {
		if x.From < end && x.To > from {
			end += x.To - max(x.From, from)
		}
	}
	return end
}

// serversStopped returns when the servers of the lock were stopped: all of them, enough of several that the others cannot
// go on, or the leader, until another one took over.
func (in *Evidence) serversStopped() Stretches {
	if in.frozen == nil {
		list := []Stretch{}
		servers := map[string][]Stretch{}
		for _, f := range in.Faults() {
			switch {
			case f.Effect != history.EffectStops || !Serves(f.Target):
			case f.Target == "lock":
				list = append(list, f.Stretch)
			default:
				servers[f.Target] = append(servers[f.Target], f.Stretch)
			}
		}
		list = append(list, atOnce(servers, in.tooMany())...)
		in.frozen = Union(append(list, in.leaderStopped(servers)...))
	}
	return in.frozen
}

// leaderStopped returns when the leader was stopped. The times in which each server was stopped are given.
func (in *Evidence) leaderStopped(servers map[string][]Stretch) []Stretch {
	var list []Stretch
	leader, since := in.Meta.Leader, time.Duration(0)
	led := func(until time.Duration) { list = append(list, Union(servers[leader]).Within(since, until)...) }
	for i := range in.Events {
		if e := &in.Events[i]; e.Type == history.Promoted {
			led(e.At)
			leader, since = e.Node, e.At
		}
	}
	led(in.EndAt())
	return list
}

// usualMembers is the number of members of a service if the history does not say.
const usualMembers = 3

// tooMany returns the number of servers that have to fail until the others cannot go on: the members of a service need a
// majority, independent servers a quorum.
func (in *Evidence) tooMany() int {
	if q := in.Quorum(); q > 1 {
		return max(in.Meta.Nodes, 2*q-1) - q + 1
	}
	n := cmp.Or(in.Meta.Members, usualMembers)
	return n - n/2
}

// atOnce returns when at least n of the servers had a fault, whose faults are given by server.
func atOnce(servers map[string][]Stretch, n int) []Stretch {
	type edge struct {
		at time.Duration
		by int
	}
	var edges []edge
	for _, list := range servers {
		for _, x := range Union(list) {
			edges = append(edges, edge{x.From, 1}, edge{x.To, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	var out []Stretch
	faulty := 0
	for _, e := range edges {
		faulty += e.by
		switch {
		case e.by > 0 && faulty == n:
			out = append(out, Stretch{From: e.at})
		case e.by < 0 && faulty == n-1:
			out[len(out)-1].To = e.at
		}
	}
	return out
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
// affected one of its links or messages or the servers, and the answer timeout after that. A fault of
// a server that the other servers do not need counts only while clients change to another server.
func (in *Evidence) Hindered(worker string) Stretches {
	known, ok := in.hindered[worker]
	if !ok {
		if in.hindered == nil {
			in.hindered = map[string]Stretches{}
		}
		known = in.HinderedBy(worker, func(Fault) bool { return true })
		in.hindered[worker] = known
	}
	return known
}

// HinderedBy does the same as Hindered, but considers only the faults for which counts returns
// true.
func (in *Evidence) HinderedBy(worker string, counts func(Fault) bool) Stretches {
	return Union(append(in.hinders(worker, counts), in.Stopped()[worker]...))
}

// HinderedForGood reports whether faults without an end hinder a worker.
func (in *Evidence) HinderedForGood(worker string) bool {
	return Union(in.hinders(worker, func(f Fault) bool { return f.Open })).Covers(in.EndAt())
}

func (in *Evidence) hinders(worker string, counts func(Fault) bool) []Stretch {
	return in.hindering(func(yield func(Fault) bool) {
		for f := range in.FaultsOf(worker) {
			if counts(f) && !yield(f) {
				return
			}
		}
	})
}

// Late returns when messages were under way that a fault of a link between the worker and one of the nodes had delayed,
// from the end of the fault on.
func (in *Evidence) Late(worker string, of func(node string) bool) Stretches {
	list := []Stretch{}
	for f := range in.FaultsOf(worker) {
		from, to, _ := strings.Cut(f.Target, "->")
		between := from == worker && of(to) || to == worker && of(from)
		if between && !f.Open && f.Healed < f.To && in.spared(f) == "" {
			list = append(list, Stretch{f.Healed, f.To})
		}
	}
	return Union(list)
}

// election is how long the members of a service may take for a new leader: the syncLimit of ZooKeeper's example, 5
// ticks of 2 s. The election timeout of etcd is 1 s.
const election = 10 * time.Second

// hindering returns when faults hinder the clients of the lock, and the answer timeout after that. If the other
// servers go on, a fault of a member hinders for a new election, an answer timeout, and a session timeout, and for an
// answer timeout after its end. A fault of an independent server or of a replica does not hinder then.
func (in *Evidence) hindering(faults iter.Seq[Fault]) []Stretch {
	list := []Stretch{}
	servers := map[string][]Stretch{}
	for f := range faults {
		server := in.spared(f)
		if server != "" {
			servers[server] = append(servers[server], f.Stretch)
		}
		switch {
		case server == "":
			list = append(list, Stretch{f.From, f.To + in.AnswerTimeout()})
		case in.Quorum() > 1 || server == replica:
		default:
			changed := f.From + election + in.Meta.TTL
			list = append(list, Stretch{f.From, min(f.To, changed) + in.AnswerTimeout()})
			if !f.Open {
				list = append(list, Stretch{f.To, f.To + in.AnswerTimeout()})
			}
		}
	}
	for _, x := range atOnce(servers, in.tooMany()) {
		list = append(list, Stretch{x.From, x.To + in.AnswerTimeout()})
	}
	return list
}

// replica is the name of a replica. The primary is called lock.
const replica = "lock-replica"

// spared returns the server whose work the others do while it has the fault, "" if there is none. That is one of
// several independent servers, a member of a service, or a replica that no client needs.
//
// A client notices that a member is stopped, has crashed or cannot be reached, and changes to another. It does not notice
// another fault, such as a lag.
func (in *Evidence) spared(f Fault) string {
	server, to, _ := strings.Cut(f.Target, "->")
	if !strings.HasPrefix(server, "lock-") {
		server = to
	}
	noticed := f.Effect == history.EffectStops || f.Kind == "crash" || f.Kind == "partition"
	switch taken := in.Takeovers(); {
	case !strings.HasPrefix(server, "lock-"):
		return ""
	case server == replica && (in.Meta.Replica || len(taken) > 0 && taken[0] < f.To):
		return ""
	case server != replica && in.Quorum() == 1 && (in.Meta.Quorum > 1 || !noticed):
		return "" // each lock is on one server of several, or the client does not change
	}
	return server
}

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
