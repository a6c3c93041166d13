package postgres

import (
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// Cluster has the servers of a run: one, or a primary with an asynchronous replica.
type Cluster struct {
	layout  backend.Layout
	world   *sim.World
	servers map[string]*Server // by node
	primary string
	replica *replica // nil: there is none
}

// NewCluster adds the nodes to the world and starts a server on each.
func NewCluster(w *sim.World, l backend.Layout, o Options) (*Cluster, error) {
	c := &Cluster{layout: l, world: w, servers: map[string]*Server{}, primary: l.Names[0]}
	if l.Replicated {
		o.Name = l.Names[0]
	}
	for _, name := range l.Names {
		server, err := New(w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)}), o)
		if err != nil {
			return nil, err
		}
		c.servers[name] = server
	}
	if l.Replicated {
		c.replica = newReplica(c, c.servers[l.Names[1]])
	}
	return c, nil
}

// Server returns the primary.
func (c *Cluster) Server() *Server { return c.servers[c.primary] }

// Names returns the nodes.
func (c *Cluster) Names() []string { return c.layout.Names }

// Serving returns the node of the primary, or all of independent servers.
func (c *Cluster) Serving() []string {
	if c.layout.Replicated {
		return []string{c.primary}
	}
	return c.layout.Names
}

// Resolve returns the node of the primary.
func (c *Cluster) Resolve() string { return c.primary }

// Replicated reports whether the cluster is a primary and its replica.
func (c *Cluster) Replicated() bool { return c.layout.Replicated }

// Requests returns how many requests have reached the servers.
func (c *Cluster) Requests() int64 {
	var n int64
	for _, name := range c.layout.Names {
		n += c.world.Node(name).Requests()
	}
	return n
}

// Close frees the servers.
func (c *Cluster) Close() {
	for _, s := range c.servers {
		s.Close()
	}
}

// Keep makes the table items of the primary the protected resource.
func (c *Cluster) Keep(i backend.Items) error {
	for _, s := range c.servers {
		replicate := s.replicate
		s.replicate = nil // the replica has the same rows from the beginning
		s.db.SetRecovery(false)
		if err := s.keep(i); err != nil {
			return err
		}
		s.replicate = replicate
	}
	if c.replica != nil {
		c.replica.server.db.SetRecovery(true)
	}
	return nil
}

// Value returns the present value of an item.
func (c *Cluster) Value(item string) string { return c.Server().items.value(item) }

// Crash ends the servers on these nodes and starts them again after d. All sessions end, and with
// them their locks. What was committed is there again, unless the data is lost. A replica takes the
// place of a primary that is away for too long.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	now := c.world.Time()
	for _, name := range nodes {
		node := c.world.Node(name)
		if node.Down() {
			continue
		}
		if err := c.servers[name].crash(data); err != nil {
			c.world.Fail(err)
		}
		if c.replica != nil && name == c.replica.name() && data == faults.DataLost {
			c.replica.lost = true
		}
		c.world.At(now+d+c.layout.Silence, func() { c.restart(name) })
		if c.replica != nil && name == c.primary && c.layout.Failover > 0 {
			c.world.At(now+c.layout.Failover, func() {
				if c.primary == name && node.Down() {
					c.Promote()
				}
			})
		}
	}
}

// restart restarts a server that is down, unless its replica has taken its place.
func (c *Cluster) restart(name string) {
	node := c.world.Node(name)
	if !node.Down() || c.replica != nil && name != c.primary && name != c.replica.name() {
		return
	}
	node.Restart()
	c.layout.Record(history.Event{Type: history.Restarted, Node: name})
	if c.replica != nil && name != c.primary {
		if err := c.replica.catchUp(); err != nil {
			c.world.Fail(err)
		}
	}
}

// stop ends the server with all its sessions at once: no session gets a lock because another one has
// ended.
func (s *Server) stop() {
	s.db.Close()
	for _, c := range s.sessions {
		c.over, c.waiting = true, false
	}
	clear(s.sessions)
	clear(s.clients)
	s.pooler = newPooler(s)
	s.locks.crashed()
	s.node.Crash() // resets the connections
}

// crash ends the server. Its database is that after the restart.
func (s *Server) crash(data faults.Data) error {
	image := s.db.Image()
	s.stop()
	s.open()
	if data != faults.DataLost {
		return s.db.Restore(image)
	}
	s.rows.lost()
	if s.items != nil {
		s.items.rows = map[string][]any{}
	}
	return s.define(tables)
}
