package redis

import (
	"fmt"
	"maps"
	"time"

	"lockquake/internal/draw"
	"lockquake/sim"
)

// Replication configures a replica.
type Replication struct {
	// Lag is the time from a write until the replica has it and the primary its acknowledgement.
	Lag draw.Dist
}

// Group is a primary with one asynchronous replica. Events of both are recorded under one node
// name.
//
// Each write reaches the replica after its lag, in order, but not while the link is cut or the
// replica is stopped. A crash of either server loses the writes under way. A replica that is then
// out of sync receives all data again, also from a primary that has restarted without data.
type Group struct {
	primary, replica *Server

	lag    draw.Dist
	lags   draw.Stream
	drawn  uint64
	last   time.Duration // arrival of the last write under way
	stream int           // number of the connection between the two
	offset int64         // number of the last write
	acked  int64         // number of the last write that the replica has acknowledged; -1: it is out of sync

	received map[string]image // the data of the replica
	survived map[string]image // the data that survived a crash of the primary, which is down
}

// NewReplicated starts a primary and a replica without data. The default of Options.Name is the
// name of the primary's node.
func NewReplicated(primary, replica *sim.Node, o Options, r Replication) (*Group, error) {
	if o.Name == "" {
		o.Name = primary.Name()
	}
	g := &Group{
		lag: r.Lag, lags: primary.World().Source().Stream("lag", o.Name),
		received: map[string]image{}, survived: map[string]image{},
	}
	var err error
	if g.primary, err = New(primary, o); err != nil {
		return nil, err
	}
	if g.replica, err = New(replica, o); err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	g.primary.group, g.replica.group = g, g
	g.primary.beginLog(g.received)
	g.replica.beginLog(g.received)
	return g, nil
}

// Primary returns the server that clients should use now.
func (g *Group) Primary() *Server { return g.primary }

// Replica returns the other server.
func (g *Group) Replica() *Server { return g.replica }

// Resolve returns the name of the primary's node, for a client.
func (g *Group) Resolve() string { return g.primary.node.Name() }

// Close frees both servers.
func (g *Group) Close() {
	g.primary.Close()
	g.replica.Close()
}

// Promote makes the replica the primary, with the data that it has. Grants that are missing there
// are recorded as evicted, and a grant that was freed but is still there as granted. The old
// primary becomes the replica; if it is up, it closes its clients' connections. Promote returns
// false, and does nothing, if the replica is down.
func (g *Group) Promote() bool {
	old, next := g.primary, g.replica
	if next.node.Down() {
		return false
	}
	next.node.World().Note(next.node.Name(), "promoted", nil)
	has, left := g.received, g.survived
	if !old.node.Down() {
		left = old.images()
		old.forgetWaiters()
		old.node.Crash() // to break its connections
		old.node.Restart()
	}
	g.primary, g.replica = next, old
	g.received = maps.Clone(left)
	old.load(left)
	next.beginLog(has)
	next.watch.inherit(old.watch)
	next.watch.reconcile(has)
	g.synchronise()
	return true
}

// replicates reports whether the server is the replica of a group. A replica answers reads and
// refuses writes of clients.
func (s *Server) replicates() bool { return s.group != nil && s.group.replica == s }

// crashed handles a crash of one of the two servers. Survived is the data that it will have after
// its restart.
func (g *Group) crashed(s *Server, survived map[string]image) {
	g.loseStream()
	if s == g.primary {
		g.survived = survived // used if it restarts before a promotion
		return
	}
	g.received = maps.Clone(survived)
	s.load(survived)
}

// restarting handles the restart of one of the two servers.
func (g *Group) restarting(s *Server) {
	if s == g.primary {
		s.load(g.survived)
		s.watch.reconcile(g.survived)
	}
}

// loseStream loses the writes under way.
func (g *Group) loseStream() {
	g.stream++
	g.last, g.acked = 0, -1
}

// synchronise sends the replica all data of the primary.
func (g *Group) synchronise() {
	g.loseStream()
	if g.primary.node.Down() || g.replica.node.Down() {
		return
	}
	all := g.primary.images()
	g.deliver(func() {
		g.received = all
		g.replica.keys.Replace(bare(all))
	})
}

// send sends the replica the effects of a command, in one piece.
func (g *Group) send(effects []effect) {
	g.offset++
	if g.primary.node.Down() || g.replica.node.Down() {
		return
	}
	g.deliver(func() {
		for _, e := range effects {
			apply(g.received, e)
			g.replica.keys.Put(e.key, e.image.Image)
		}
	})
}

// delivery is a message on its way to the replica.
type delivery struct {
	group    *Group
	stream   int
	offset   int64
	from, to *sim.Node
	do       func()
}

// deliver calls do at the replica after a lag.
func (g *Group) deliver(do func()) {
	d := &delivery{g, g.stream, g.offset, g.primary.node, g.replica.node, do}
	w := d.to.World()
	x := g.lags.At(g.drawn)
	g.drawn++
	g.last = max(w.Time()+g.lag.Sample(&x), g.last)
	w.At(g.last, func() { w.WhenOpen(d.from, d.to, d.arrive) })
}

// arrive handles the end of the lag.
func (d *delivery) arrive() {
	// A replica that is stopped reads the message when it goes on, like a wall timer.
	d.to.AtWall(d.to.Now(), d.receive)
}

// receive applies the delivery at the replica.
func (d *delivery) receive() {
	if d.stream != d.group.stream {
		return
	}
	w := d.to.World()
	w.Note(d.to.Name(), "replicated", nil)
	d.do()
	w.WhenOpen(d.to, d.from, d.acknowledge)
}

// acknowledge handles the acknowledgement at the primary.
func (d *delivery) acknowledge() {
	g := d.group
	if d.stream != g.stream {
		return
	}
	g.acked = d.offset
	if len(g.primary.waiters) > 0 {
		d.from.AtWall(d.from.Now(), g.primary.answerWaiters)
	}
}
