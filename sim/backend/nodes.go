package backend

import (
	"time"

	"lockquake/history"
	"lockquake/sim"
)

// Nodes implements the methods of a [Cluster] that are about its nodes, for every family.
type Nodes struct {
	World  *sim.World
	Layout Layout
	// Primary returns the node of the primary, if the layout is replicated.
	Primary func() string
}

// Names implements Cluster.
func (n *Nodes) Names() []string { return n.Layout.Names }

// Replicated implements Cluster.
func (n *Nodes) Replicated() bool { return n.Layout.Replicated }

// Serving implements Cluster.
func (n *Nodes) Serving() []string {
	if n.Layout.Replicated {
		return []string{n.Primary()}
	}
	return n.Layout.Names
}

// Requests implements Cluster.
func (n *Nodes) Requests() int64 {
	var all int64
	for _, name := range n.Layout.Names {
		all += n.World.Node(name).Requests()
	}
	return all
}

// Outage is how the servers of a family crash, come back and fail over.
type Outage struct {
	// Crash turns off the server on a node.
	Crash func(name string)
	// Restart turns it on again. It reports whether the server is on then.
	Restart func(name string) bool
	// Promote makes the replica the primary.
	Promote func()
}

// Crash turns off the servers on these nodes that are on, and turns them on again after d and the
// silence of the layout. The replica takes the place of a primary that is off for too long.
func (n *Nodes) Crash(names []string, d time.Duration, o Outage) {
	now := n.World.Time()
	for _, name := range names {
		node := n.World.Node(name)
		if node.Down() {
			continue
		}
		primary := n.Layout.Replicated && n.Primary() == name
		o.Crash(name)
		n.World.At(now+d+n.Layout.Silence, func() {
			if node.Down() && o.Restart(name) {
				n.Layout.Record(history.Event{Type: history.Restarted, Node: name})
			}
		})
		if primary && n.Layout.Failover > 0 {
			n.World.At(now+n.Layout.Failover, func() {
				if n.Primary() == name && node.Down() {
					o.Promote()
				}
			})
		}
	}
}
