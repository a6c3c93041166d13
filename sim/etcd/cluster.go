package etcd

import (
	"time"

	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/etcd/store"
)

// Options are the settings of a cluster.
type Options struct {
	// Locks tells which keys are locks of the run. The record of a lock is the prefix of its keys.
	Locks backend.Locks
	// Heartbeat and Election are --heartbeat-interval and --election-timeout.
	Heartbeat, Election time.Duration
	// Compaction is the time after which the cluster compacts its store to the present revision
	// again; 0: never.
	Compaction time.Duration
}

// Cluster has the members of a run.
type Cluster struct {
	backend.Nodes
	options  Options
	store    *store.Store
	members  []*member
	first    *member // to lead
	leader   *member // of the present term; nil: none
	term     int
	deposed  *member       // it does not become the next leader, if there is another one
	noLeader time.Duration // no election before this time
	campaign time.Duration // when the next election is due; 0: none
	draws    draw.Stream
	leases   map[int64]*tenure
	locks    *lockWatch
}

// NewCluster adds the nodes to the world, and starts a member on each. One of them leads.
func NewCluster(w *sim.World, l backend.Layout, o Options) *Cluster {
	c := &Cluster{
		Nodes: backend.Nodes{World: w, Layout: l}, options: o, leases: map[int64]*tenure{},
		draws: w.Source().Stream("election", l.Names[0]),
	}
	c.locks = newLockWatch(c)
	c.store = store.New(c.minTTL())
	for _, name := range l.Names {
		node := w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)})
		m := &member{cluster: c, node: node, view: c.store.View()}
		c.members = append(c.members, m)
		node.Listen(m)
	}
	x := c.draws.At(0)
	c.first = c.members[x.Int64N(int64(len(c.members)))]
	c.lead(c.first, c.members)
	c.beat()
	c.compactLater()
	return c
}

// minTTL is the shortest TTL of a lease in seconds: one and a half election timeouts, rounded up.
func (c *Cluster) minTTL() int64 {
	ticks := int64(c.options.Election / c.options.Heartbeat)
	return int64((time.Duration(ticks*3/2)*c.options.Heartbeat + time.Second - 1) / time.Second)
}

// requestTimeout is the time after which a member gives up a request.
func (c *Cluster) requestTimeout() time.Duration {
	const patience = 5 * time.Second
	return patience + 2*c.options.Election
}

func (c *Cluster) majority() int { return len(c.members)/2 + 1 }

// Close implements backend.Cluster.
func (c *Cluster) Close() {}

// reaches reports whether two members are up and exchange messages.
func (c *Cluster) reaches(a, b *member) bool {
	return !a.node.Down() && !b.node.Down() && (a == b || c.World.Reaches(a.node, b.node))
}

// send sends a message from one member to another. It is lost if the receiver is down, or either is
// in another life by then.
func (c *Cluster) send(from, to *member, do func()) {
	if from == to {
		do()
		return
	}
	lives := [2]int{from.life, to.life}
	c.World.Deliver(from.node, to.node, func() {
		if lives == [2]int{from.life, to.life} && !to.node.Down() {
			do()
		}
	})
}

// compactLater compacts the store again and again.
func (c *Cluster) compactLater() {
	if c.options.Compaction == 0 {
		return
	}
	c.World.At(c.World.Time()+c.options.Compaction, func() {
		if c.leader != nil {
			c.leader.propose(&pending{member: c.leader, request: c.compaction()})
		}
		c.compactLater()
	})
}

// FirstLeader implements backend.Led.
func (c *Cluster) FirstLeader() string { return c.first.node.Name() }

// Leader returns the node of the leader, "" if there is none.
func (c *Cluster) Leader() string {
	if c.leader == nil {
		return ""
	}
	return c.leader.node.Name()
}
