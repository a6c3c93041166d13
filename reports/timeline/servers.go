package timeline

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/reports/story"
)

// failovers maps the name of a replicated server to the node that served it. Such a server records its events under one
// name, whichever of its nodes is the primary; the event promoted names the new primary.
type failovers []*history.Event

// failoversOf returns the failovers of a history, none if its servers record their events under their own names.
func failoversOf(events []history.Event) failovers {
	var promoted failovers
	replicated := false
	for i := range events {
		e := &events[i]
		if e.Type == history.Promoted {
			promoted = append(promoted, e)
		}
		replicated = replicated || story.ByServer(e.Type) && story.ServerName(e) == story.LockServer
	}
	if !replicated {
		return nil
	}
	return promoted
}

// before returns the node that served a name before an event.
func (f failovers) before(name string, seq int64) string {
	return f.node(name, func(promoted *history.Event) bool { return promoted.Seq < seq })
}

// at returns the node that serves a name at a time, that of a failover included.
func (f failovers) at(name string, at time.Duration) string {
	return f.node(name, func(promoted *history.Event) bool { return promoted.At <= at })
}

func (f failovers) node(name string, past func(promoted *history.Event) bool) string {
	if name != story.LockServer {
		return name
	}
	for _, promoted := range f {
		if past(promoted) {
			name = promoted.Node
		}
	}
	return name
}

// actor returns the lane of a line about a server: that of the node which acts, starts again or takes over, and of a fault
// the node that it hit.
func (d *drafter) actor(name string, at time.Duration, seq int64) string {
	if name != story.LockServer || seq == 0 || len(d.failovers) == 0 {
		return name
	}
	switch e := &d.events[seq-1]; e.Type {
	case history.Promoted, history.Restarted:
		return cmp.Or(e.Node, name)
	case history.FaultBegin, history.FaultEnd:
		begin := slices.IndexFunc(d.events, func(b history.Event) bool { return b.Type == history.FaultBegin && b.Fault == e.Fault })
		if begin < 0 {
			return name
		}
		return d.failovers.before(name, d.events[begin].Seq)
	default:
		return d.failovers.at(name, at)
	}
}
