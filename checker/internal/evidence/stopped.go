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

// HinderedBy does the same as hindered, but considers only the faults for which counts returns
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
		if between && !f.Open && f.Healed < f.To && in.Spared(f) == "" {
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
		server := in.Spared(f)
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

// Spared returns the server whose work the others do while it has the fault, "" if there is none. That is one of
// several independent servers, a member of a service, or a replica that no client needs.
//
// A client notices that a member is stopped, has crashed or cannot be reached, and changes to another. It does not notice
// another fault, such as a lag.
func (in *Evidence) Spared(f Fault) string {
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
