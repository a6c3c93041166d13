package postgres

import (
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim/postgres/engine"
)

// replica receives the commits of a primary over a connection, each after a lag and in their order. The connection breaks
// when one of the two servers crashes. When both are up again the primary sends what the replica does not have. It knows no
// advisory locks: those are no data.
type replica struct {
	cluster *Cluster
	server  *Server
	log     []commit // of the primary: what the replica does not have, in order
	sent    uint64   // the number of the last commit
	drawn   uint64   // lags
	last    time.Duration
	stream  int  // the number of the connection
	lost    bool // it has lost its data
	apart   bool // the primary has begun again without data, and the replica cannot follow it
}

// commit is a commit of the primary.
type commit struct {
	number  uint64
	changes []engine.Change
}

func newReplica(c *Cluster, s *Server) *replica {
	s.db.SetRecovery(true)
	r := &replica{cluster: c, server: s}
	c.Server().replicate = r.send
	return r
}

func (r *replica) name() string { return r.server.node.Name() }

// send sends a commit of the primary.
func (r *replica) send(changes []engine.Change) {
	if r.apart {
		return
	}
	r.sent++
	r.log = append(r.log, commit{r.sent, changes})
	r.deliver()
}

// deliver brings the replica the commits until now after a lag, unless the connection breaks before. A replica that is
// stopped reads them when it goes on.
func (r *replica) deliver() {
	from, to := r.cluster.Server().node, r.server.node
	if from.Down() || to.Down() {
		return
	}
	w := r.cluster.World
	x := w.Source().Stream("replication", r.name()).At(r.drawn)
	r.drawn++
	r.last = max(r.last, w.Time()+r.cluster.Layout.Lag.Sample(&x))
	stream, until := r.stream, r.sent
	w.At(r.last, func() {
		w.WhenOpen(from, to, func() {
			to.AtWall(to.Now(), func() { r.receive(stream, until) })
		})
	})
}

// receive applies what has arrived on a connection: the commits with these numbers.
func (r *replica) receive(stream int, until uint64) {
	if stream != r.stream {
		return
	}
	for len(r.log) > 0 && r.log[0].number <= until {
		if err := r.server.db.Apply(r.log[0].changes); err != nil {
			r.cluster.World.Fail(err)
			return
		}
		r.log = r.log[1:]
	}
}

// disconnect loses what is under way.
func (r *replica) disconnect() {
	r.stream++
	r.last = 0
}

// crashed handles the crash of one of the two servers.
func (r *replica) crashed(name string, data faults.Data) {
	r.disconnect()
	switch {
	case data != faults.DataLost:
	case name == r.name():
		r.lost = true
	default:
		r.apart, r.log = true, nil
	}
}

// restarted handles the restart of one of the two servers. A replica that has lost its data gets that of the primary.
func (r *replica) restarted() error {
	if r.server.node.Down() {
		return nil
	}
	r.server.db.SetRecovery(true)
	if r.cluster.Server().node.Down() {
		return nil
	}
	if r.lost {
		r.server.open()
		if err := r.server.db.Restore(r.cluster.Server().db.Image()); err != nil {
			return err
		}
		r.server.db.SetRecovery(true)
		r.lost, r.apart, r.log = false, false, nil
	}
	if len(r.log) > 0 {
		r.deliver()
	}
	return nil
}

// Promote makes the replica the primary, unless it is down or has no data. What is under way to it is lost. Clients find it
// when they connect again. The old primary does not come back.
func (c *Cluster) Promote() {
	r := c.replica
	if r == nil || r.server.node.Down() || r.lost || c.primary == r.name() {
		return
	}
	old := c.Server()
	if !old.node.Down() {
		old.stop()
	}
	r.disconnect()
	r.log = nil
	r.server.rows.inherit(old.rows)
	c.primary = r.name()
	r.server.db.SetRecovery(false)
	c.Layout.Record(history.Event{Type: history.Promoted, Node: c.primary})
}
