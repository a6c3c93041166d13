package redis

import (
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// Cluster has the servers of a lock during a run.
type Cluster struct {
	backend.Nodes
	servers map[string]*Server // by node
	group   *Group             // of a server with a replica, else nil
}

// NewCluster adds the nodes to the world and starts a server on each.
func NewCluster(w *sim.World, l backend.Layout, o Options) (*Cluster, error) {
	c := &Cluster{Nodes: backend.Nodes{World: w, Layout: l}, servers: map[string]*Server{}}
	for _, name := range l.Names {
		w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)})
	}
	if l.Replicated {
		var err error
		c.group, err = NewReplicated(w.Node(l.Names[0]), w.Node(l.Names[1]), o, Replication{Lag: l.Lag})
		if err != nil {
			return nil, err
		}
		c.Primary = c.group.Resolve
		c.servers[l.Names[0]], c.servers[l.Names[1]] = c.group.Primary(), c.group.Replica()
	} else {
		for _, name := range l.Names {
			server, err := New(w.Node(name), o)
			if err != nil {
				return nil, err
			}
			c.servers[name] = server
		}
	}
	return c, nil
}

// Close frees the servers, and keeps what the next run can reuse.
func (c *Cluster) Close() {
	for _, name := range c.Layout.Names {
		c.servers[name].Close()
	}
}

// Server returns the server on a node, nil if there is none.
func (c *Cluster) Server(name string) *Server { return c.servers[name] }

// Resolvers returns, for each server that clients know, a function that returns its present node.
// That of a replicated server follows failovers.
func (c *Cluster) Resolvers() []func() string {
	if c.group != nil {
		return []func() string{c.group.Resolve}
	}
	var resolvers []func() string
	for _, name := range c.Layout.Names {
		resolvers = append(resolvers, func() string { return name })
	}
	return resolvers
}

// Crash crashes servers and restarts them after d. If a primary is away for too long, its replica
// takes over. A failover restarts the old primary at once, as a replica.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	c.Nodes.Crash(nodes, d, backend.Outage{
		Crash:   func(name string) { c.servers[name].Crash(data) },
		Restart: func(name string) bool { c.servers[name].Restart(); return true },
		Promote: c.Promote,
	})
}

// Promote makes the replica of a replicated server the primary, unless the replica is down.
func (c *Cluster) Promote() {
	if c.group.Promote() {
		c.Layout.Record(history.Event{Type: history.Promoted, Node: c.group.Resolve()})
	}
}
