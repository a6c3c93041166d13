package dynamodb

import (
	"time"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// Cluster has the server of a run.
type Cluster struct {
	backend.Nodes
	Server *Server
}

// NewCluster adds the node to the world and starts the server on it.
func NewCluster(w *sim.World, l backend.Layout, locks backend.Locks) *Cluster {
	node := w.AddNode(l.Names[0], sim.NodeConfig{WallOffset: l.WallOffset(l.Names[0])})
	return &Cluster{backend.Nodes{World: w, Layout: l}, New(node, locks)}
}

// Crash takes the server out of service for d.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	c.Nodes.Crash(nodes, d, backend.Outage{
		Crash: func(string) { c.Server.Crash(data) },
		Restart: func(name string) bool {
			c.World.Node(name).Restart()
			return true
		},
	})
}

// Close implements backend.Cluster.
func (c *Cluster) Close() {}
