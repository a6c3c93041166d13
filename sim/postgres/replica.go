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
	last    time.Duration     // when the last commit arrives; they keep their order
	missed  [][]engine.Change // the commits that have arrived while the replica was down
	lost    bool              // it has lost its data
	copied  uint64            // the commits before this one came with a copy of the primary
}

func (r *replica) name() string { return r.server.node.Name() }

// catchUp commits what the replica has missed while it was down. A replica that has lost its data
// gets that of the primary.
func (r *replica) catchUp() error {
	if r.lost {
		r.server.open()
		if err := r.server.db.Restore(r.cluster.Server().db.Image()); err != nil {
			return err
		}
		r.lost, r.missed, r.copied = false, nil, r.sent
	}
	r.server.db.SetRecovery(true)
	for _, changes := range r.missed {
		if err := r.server.db.Apply(changes); err != nil {
			return err
		}
	}
	r.missed = nil
	return nil
}

func newReplica(c *Cluster, s *Server) *replica {
	s.db.SetRecovery(true)
	r := &replica{cluster: c, server: s}
	c.Server().replicate = r.send
	return r
}

// send sends a commit of the primary.
func (r *replica) send(changes []engine.Change) {
	w := r.cluster.World
	x := w.Source().Stream("replication", r.server.node.Name()).At(r.sent)
	r.sent++
	number := r.sent
	from := r.cluster.Server().node
	r.last = max(r.last, w.Time()+r.cluster.Layout.Lag.Sample(&x))
	w.At(r.last, func() {
		w.WhenOpen(from, r.server.node, func() {
			switch {
			case r.cluster.primary == r.name(), number <= r.copied:
				return
			case r.server.node.Down():
				r.missed = append(r.missed, changes)
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
	if r == nil || r.server.node.Down() || c.primary == r.name() {
		return
	}
	old := c.Server()
	if !old.node.Down() {
		old.stop()
	}
	r.server.rows.inherit(old.rows)
	c.primary = r.name()
	r.server.db.SetRecovery(false)
	c.Layout.Record(history.Event{Type: history.Promoted, Node: c.primary})
}
