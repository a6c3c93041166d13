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
	layout  backend.Layout
	world   *sim.World
	servers map[string]*Server // by node
	group   *Group             // of a server with a replica, else nil
}

// NewCluster adds the nodes to the world and starts a server on each.
func NewCluster(w *sim.World, l backend.Layout, o Options) (*Cluster, error) {
	c := &Cluster{layout: l, world: w, servers: map[string]*Server{}}
	for _, name := range l.Names {
		w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)})
	}
	if l.Replicated {
		var err error
		c.group, err = NewReplicated(w.Node(l.Names[0]), w.Node(l.Names[1]), o, Replication{Lag: l.Lag})
		if err != nil {
			return nil, err
		}
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
	for _, name := range c.layout.Names {
		c.servers[name].Close()
	}
}

// Names returns the nodes.
func (c *Cluster) Names() []string { return c.layout.Names }

// Replicated reports whether the cluster is a primary and its replica.
func (c *Cluster) Replicated() bool { return c.group != nil }

// Server returns the server on a node, nil if there is none.
func (c *Cluster) Server(name string) *Server { return c.servers[name] }

// Serving returns the nodes that clients should use now.
func (c *Cluster) Serving() []string {
	if c.group != nil {
		return []string{c.group.Resolve()}
	}
	return c.layout.Names
}

// Resolvers returns, for each server that clients know, a function that returns its present node.
// That of a replicated server follows failovers.
func (c *Cluster) Resolvers() []func() string {
	if c.group != nil {
		return []func() string{c.group.Resolve}
	}
	var resolvers []func() string
	for _, name := range c.layout.Names {
		resolvers = append(resolvers, func() string { return name })
	}
	return resolvers
}

// Requests returns how many requests have reached the servers.
func (c *Cluster) Requests() int64 {
	var n int64
	for _, name := range c.layout.Names {
		n += c.world.Node(name).Requests()
	}
	return n
}

// Crash crashes servers and restarts them after d. If a primary is away for too long, its replica
// takes over.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	now := c.world.Time()
	for _, name := range nodes {
		if c.world.Node(name).Down() {
			continue
		}
		primary := c.group != nil && c.group.Resolve() == name
		c.servers[name].Crash(data)
		c.world.At(now+d+c.layout.Silence, func() { c.restart(name) })
		if primary && c.layout.Failover > 0 {
			c.world.At(now+c.layout.Failover, func() {
				if c.group.Resolve() == name && c.world.Node(name).Down() {
					c.Promote()
				}
			})
		}
	}
}

// restart restarts a server unless it is up: a failover restarts the old primary as a replica.
func (c *Cluster) restart(name string) {
	if !c.world.Node(name).Down() {
		return
	}
	c.servers[name].Restart()
	c.layout.Record(history.Event{Type: history.Restarted, Node: name})
}

// Promote makes the replica of a replicated server the primary, unless the replica is down.
func (c *Cluster) Promote() {
	if c.group.Promote() {
		c.layout.Record(history.Event{Type: history.Promoted, Node: c.group.Resolve()})
	}
}
