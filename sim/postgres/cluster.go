package postgres

import (
	"time"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// Cluster has the servers of a run: one, or a primary with an asynchronous replica.
type Cluster struct {
	backend.Nodes
	servers map[string]*Server // by node
	primary string
	replica *replica // nil: there is none
}

// NewCluster adds the nodes to the world and starts a server on each.
func NewCluster(w *sim.World, l backend.Layout, o Options) (*Cluster, error) {
	c := &Cluster{Nodes: backend.Nodes{World: w, Layout: l}, servers: map[string]*Server{}, primary: l.Names[0]}
	c.Primary = c.Resolve
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

// Resolve returns the node of the primary.
func (c *Cluster) Resolve() string { return c.primary }

// Close frees the servers.
func (c *Cluster) Close() {
	for _, name := range c.Names() {
		c.servers[name].Close()
	}
}

// Keep makes the table items of the primary the protected resource.
func (c *Cluster) Keep(i backend.Items) error {
	for _, name := range c.Names() {
		s := c.servers[name]
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
// them their locks. Committed data survives, unless the data is lost. A replica takes the place of
// a primary that is away for too long.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	c.Nodes.Crash(nodes, d, backend.Outage{
		Crash: func(name string) {
			if err := c.servers[name].crash(data); err != nil {
				c.World.Fail(err)
			}
			if c.replica != nil && c.primary != c.replica.name() {
				c.replica.crashed(name, data)
			}
		},
		Restart: c.restart,
		Promote: c.Promote,
	})
}

// restart restarts a server, unless its replica has taken its place. It reports whether it did.
func (c *Cluster) restart(name string) bool {
	if c.replica != nil && name != c.primary && name != c.replica.name() {
		return false
	}
	c.World.Node(name).Restart()
	if c.replica != nil && c.primary != c.replica.name() {
		if err := c.replica.restarted(); err != nil {
			c.World.Fail(err)
		}
	}
	return true
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
	return s.define(tables)
}
