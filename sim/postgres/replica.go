package postgres

import (
	"time"

	"lockquake/history"
	"lockquake/sim/postgres/engine"
)

// replica receives the commits of a primary after a lag. It knows no advisory locks: those are no
// data.
type replica struct {
	cluster *Cluster
	server  *Server
	sent    uint64
	last    time.Duration // when the last commit arrives; they keep their order
}

func newReplica(c *Cluster, s *Server) *replica {
	s.db.SetRecovery(true)
	r := &replica{cluster: c, server: s}
	c.Server().replicate = r.send
	return r
}

// send sends a commit of the primary.
func (r *replica) send(changes []engine.Change) {
	w := r.cluster.world
	x := w.Source().Stream("replication", r.server.node.Name()).At(r.sent)
	r.sent++
	from := r.cluster.Server().node
	r.last = max(r.last, w.Time()+r.cluster.layout.Lag.Sample(&x))
	w.At(r.last, func() {
		w.WhenOpen(from, r.server.node, func() {
			if c := r.cluster; c.primary == r.server.node.Name() || r.server.node.Down() {
				return
			}
			if err := r.server.db.Apply(changes); err != nil {
				w.Fail(err)
			}
		})
	})
}

// Promote makes the replica the primary, unless it is down. Clients find it when they connect
// again. The old primary does not come back.
func (c *Cluster) Promote() {
	r := c.replica
	if r == nil || r.server.node.Down() || c.primary == r.server.node.Name() {
		return
	}
	old := c.Server()
	old.locks.crashed()
	r.server.rows.inherit(old.rows)
	if !old.node.Down() {
		old.node.Crash()
	}
	c.primary = r.server.node.Name()
	r.server.db.SetRecovery(false)
	if r.server.items != nil {
		r.server.items.load()
	}
	c.layout.Record(history.Event{Type: history.Promoted, Node: c.primary})
}
