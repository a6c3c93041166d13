package toy

import (
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// cluster is a backend.Cluster whose servers crash and lose their data.
type cluster struct {
	world   *sim.World
	layout  backend.Layout
	servers map[string]*server
}

func start(s backend.Start) (backend.Cluster, error) {
	c := &cluster{s.World, s.Layout, map[string]*server{}}
	for _, name := range s.Layout.Names {
		node := s.World.AddNode(name, sim.NodeConfig{WallOffset: s.Layout.WallOffset(name)})
		c.servers[name] = &server{node, s.Locks, map[string]*register{}}
		node.Listen(c.servers[name])
	}
	return c, nil
}

func (c *cluster) Names() []string   { return c.layout.Names }
func (c *cluster) Serving() []string { return c.layout.Names[:1] }
func (c *cluster) Replicated() bool  { return false }
func (c *cluster) Requests() int64   { return c.world.Node(c.layout.Names[0]).Requests() }
func (c *cluster) Close()            {}

func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	return &client{process: p, node: c.layout.Names[0], settings: settingsOf(s)}
}

// Crash implements backend.Crasher.
func (c *cluster) Crash(nodes []string, _ faults.Data, d time.Duration) {
	for _, name := range nodes {
		s := c.servers[name]
		for key, r := range s.registers { // the order does not show: one run has one lock
			s.set(key, "", 0)
			s.tell(history.Event{Type: history.Evicted, Key: key, Owner: r.owner})
		}
		s.node.Crash()
		c.world.At(c.world.Time()+d+c.layout.Silence, func() {
			s.node.Restart()
			c.layout.Record(history.Event{Type: history.Restarted, Node: name})
		})
	}
}
