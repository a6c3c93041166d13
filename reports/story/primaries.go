package story

import (
	"cmp"
	"time"

	"lockquake/history"
)

// Primaries knows which node of a replicated service served at a time. The servers of such a service record their events
// under one name, whichever node is the primary or the leader; the event promoted names the new one. The zero value is that
// of servers that record their events under their own names.
type Primaries struct {
	first    string // the node that served at first; "" in the zero value
	promoted []*history.Event
}

// PrimariesOf returns the primaries of a history: the leaders of a service whose first leader is known, or the nodes that
// served as "lock" before and after failovers.
func PrimariesOf(h *history.History) Primaries {
	p := Primaries{first: h.Meta.Leader}
	named := false
	for i := range h.Events {
		e := &h.Events[i]
		if e.Type == history.Promoted {
			p.promoted = append(p.promoted, e)
		}
		named = named || ByServer(e.Type) && ServerName(e) == LockServer
	}
	switch {
	case h.Meta.Quorum > 1 || p.first == "" && (!named || p.promoted == nil):
		return Primaries{}
	case p.first == "":
		p.first = LockServer
	}
	return p
}

// Known reports whether the history tells which node served at which time.
func (p Primaries) Known() bool { return p.first != "" }

// haveLeader reports whether the nodes are members of a service with a leader. Then a fault of "lock" hits all of them,
// otherwise the primary.
func (p Primaries) haveLeader() bool { return p.Known() && p.first != LockServer }

// Before returns the node that served before an event, or if it is not known the name of the event's server.
func (p Primaries) Before(e *history.Event) string {
	return p.node(e, func(promoted *history.Event) bool { return promoted.Seq < e.Seq })
}

// At returns the node that served at the time of an event, after a failover at the same time: the events in which the new
// primary says what it lacks or keeps come before its promotion.
func (p Primaries) At(e *history.Event) string {
	return p.node(e, func(promoted *history.Event) bool { return promoted.At <= e.At })
}

func (p Primaries) node(e *history.Event, past func(promoted *history.Event) bool) string {
	if !p.Known() {
		return ServerName(e)
	}
	name := p.first
	for _, promoted := range p.promoted {
		if past(promoted) {
			name = promoted.Node
		}
	}
	return name
}

// Within returns the nodes that served between two times, in the order in which they began to serve.
func (p Primaries) Within(from, to time.Duration) []string {
	if !p.Known() {
		return nil
	}
	nodes := []string{p.At(&history.Event{At: from})}
	for _, promoted := range p.promoted {
		if from <= promoted.At && promoted.At <= to {
			nodes = append(nodes, promoted.Node)
		}
	}
	return nodes
}

// Hit returns the server that a fault hit, given its target and the event with which it began. If the target is "lock", that
// is the primary. In a service with a leader, a fault of "lock" hits all members, and Hit returns "lock".
func (p Primaries) Hit(target string, begin *history.Event) string {
	if target != LockServer || !p.Known() || p.haveLeader() {
		return target
	}
	return p.Before(begin)
}

// takeover says what a promoted node does.
func (p Primaries) takeover() string {
	if p.haveLeader() {
		return "takes over as the leader"
	}
	return "takes over as the primary"
}

// restart says what a node does that starts again.
func (p Primaries) restart(e *history.Event) string {
	switch {
	case !p.Known() || p.Before(e) == e.Node:
		return "starts again"
	case p.haveLeader():
		return "starts again, as a follower"
	}
	return "starts again, as the replica"
}

// ServerName returns the name of the server that emitted an event. Histories of a single
// server may leave it out; then it is "lock".
func ServerName(e *history.Event) string {
	return cmp.Or(e.Node, LockServer)
}
