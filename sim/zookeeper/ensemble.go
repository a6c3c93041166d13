package zookeeper

import (
	"cmp"
	"time"

	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/zookeeper/tree"
)

// Options are the settings of an ensemble.
type Options struct {
	// Locks tells which znodes are locks of the run: the parents of the znodes of the contenders.
	Locks backend.Locks
	// Tick is tickTime; 0: 2 s.
	Tick time.Duration
	// SyncLimit is the number of ticks after which a follower that does not answer, or a leader,
	// counts as lost; 0: 5.
	SyncLimit int
}

// Ensemble has the members of one service.
type Ensemble struct {
	backend.Nodes
	options Options
	members []*member
	locks   *lockWatch
	opened  int64 // sessions so far

	epoch    int64 // the number of leaders so far
	voting   bool  // an election is scheduled
	noLeader time.Duration
	deposed  *member // a fault has taken the leadership from it
}

// NewEnsemble adds the nodes to the world and starts a member on each. The last one leads.
func NewEnsemble(w *sim.World, l backend.Layout, o Options) *Ensemble {
	const usualTick, usualLimit = 2 * time.Second, 5
	o.Tick, o.SyncLimit = cmp.Or(o.Tick, usualTick), cmp.Or(o.SyncLimit, usualLimit)
	if o.Locks.Record == nil {
		o.Locks.Record = func(history.Event) {}
	}
	e := &Ensemble{Nodes: backend.Nodes{World: w, Layout: l}, options: o}
	e.locks = newLockWatch(e)
	for i, name := range l.Names {
		node := w.AddNode(name, sim.NodeConfig{WallOffset: l.WallOffset(name)})
		m := &member{ensemble: e, id: i + 1, node: node}
		m.setTree(tree.New())
		node.Listen(m)
		e.members = append(e.members, m)
	}
	e.begin(e.members[len(e.members)-1], e.members)
	return e
}

// FirstLeader implements backend.Led.
func (e *Ensemble) FirstLeader() string { return e.members[len(e.members)-1].node.Name() }

// Close does nothing: an ensemble keeps nothing beyond its run.
func (e *Ensemble) Close() {}

// majority returns the number of members that decide.
func (e *Ensemble) majority() int { return len(e.members)/2 + 1 }

// leader returns the leadership that serves clients, nil if there is none.
func (e *Ensemble) leader() *leadership {
	for _, m := range e.members {
		if l := m.leader; l != nil && l.member == m && l.active {
			return l
		}
	}
	return nil
}

// member returns the member on a node.
func (e *Ensemble) member(node string) *member {
	for _, m := range e.members {
		if m.node.Name() == node {
			return m
		}
	}
	return nil
}
