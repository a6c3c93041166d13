package kubernetes

import (
	"path"
	"time"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/kubernetes/api"
)

// Cluster has the API server of a run.
type Cluster struct {
	backend.Nodes
	server *Server
}

// NewCluster adds the node to the world and starts an API server on it.
func NewCluster(w *sim.World, l backend.Layout, locks backend.Locks) *Cluster {
	name := l.Names[0]
	return &Cluster{
		Nodes:  backend.Nodes{World: w, Layout: l},
		server: New(w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)}), locks),
	}
}

// Resolve returns the node of the API server.
func (c *Cluster) Resolve() string { return c.Names()[0] }

// Close implements backend.Cluster.
func (c *Cluster) Close() {}

// Crash implements backend.Crasher. The objects are in etcd, so they survive unless the fault says that they are lost.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	c.Nodes.Crash(nodes, d, backend.Outage{
		Crash: func(string) {
			c.server.node.Crash()
			if data == faults.DataLost {
				c.server.remove(c.server.store.Names())
				c.server.store.Clear()
			}
		},
		Restart: func(name string) bool {
			c.World.Node(name).Restart()
			return true
		},
	})
}

// Delete implements backend.Deleter.
func (c *Cluster) Delete(_, pattern string) []string {
	return c.server.remove(c.server.matching(pattern))
}

// matching lists the objects that match a glob pattern, or those of locks if the pattern is "".
func (s *Server) matching(pattern string) []string {
	var names []string
	for _, name := range s.store.Names() {
		if matches, _ := path.Match(pattern, name); matches || pattern == "" && s.watch.lock(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// remove deletes objects, as an administrator does.
func (s *Server) remove(names []string) []string {
	for _, name := range names {
		r := &api.Request{Verb: api.Delete}
		r.Lease.Name = name
		s.store.Do(r)
		s.watch.gone(name)
	}
	return names
}
