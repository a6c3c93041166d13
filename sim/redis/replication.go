package redis

import (
	"fmt"
	"maps"
	"time"

	"lockquake/internal/draw"
	"lockquake/sim"
)

// Replication says how a replica follows.
type Replication struct {
	// Lag is how long a write takes to the replica and its acknowledgement back.
	Lag draw.Dist
}

// Group is a primary with one asynchronous replica. All events are reported
// under one name, whichever of the two is the primary.
//
// Each write reaches the replica after its lag, in order, and not while the link
// to it is cut or the replica is stopped. A crash of either loses what is under
// way. A replica that has lost the thread gets everything anew, from a primary
// that came back without its data as from any other.
type Group struct {
	primary, replica *Server

	lag    draw.Dist
	lags   draw.Stream
	drawn  uint64
	last   time.Duration // when the last write under way arrives
	stream int           // number of the connection between the two
	offset int64         // number of the last write
	acked  int64         // up to which the replica has them; -1: it has lost the thread

	received map[string]image // what the replica has
	survived map[string]image // a crash of the primary, which is down
}

// NewReplicated starts a primary and a replica, without data. Options.Name is
// the name of the primary's node unless it is set.
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
	g.primary.beginJournal(g.received)
	g.replica.beginJournal(g.received)
	return g, nil
}

// Primary returns the server that clients are to use now.
func (g *Group) Primary() *Server { return g.primary }

// Replica returns the other one.
func (g *Group) Replica() *Server { return g.replica }

// Resolve returns the name of the primary's node, for a client.
func (g *Group) Resolve() string { return g.primary.node.Name() }

// Close ends the use of both servers.
func (g *Group) Close() {
	g.primary.Close()
	g.replica.Close()
}

// Promote makes the replica the primary, with what it has got. Grants that it
// does not know are reported as evicted, and one that was freed and that it
// still knows as granted. The old primary follows the new one; if it is up, it
// hangs up on all clients. Promote reports whether there was a replica to
// promote: one that is down stays what it is.
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
		old.node.Crash() // for its connections
		old.node.Restart()
	}
	g.primary, g.replica = next, old
	g.received = maps.Clone(left)
	old.load(left)
	next.beginJournal(has)
	next.watch.inherit(old.watch)
	next.watch.reconcile(has)
	g.synchronise()
	return true
}

// replicates reports whether the server is the replica of a group. It answers
// reads, and takes no writes from clients.
func (s *Server) replicates() bool { return s.group != nil && s.group.replica == s }

// crashed is told that one of the two has, and what it will find again.
func (g *Group) crashed(s *Server, survived map[string]image) {
	g.cut()
	if s == g.primary {
		g.survived = survived // of use if it comes back before it is replaced
		return
	}
	g.received = maps.Clone(survived)
	s.load(survived)
}

// restarting is told that one of the two comes back.
func (g *Group) restarting(s *Server) {
	if s == g.primary {
		s.load(g.survived)
		s.watch.reconcile(g.survived)
	}
}

// cut loses what is under way.
func (g *Group) cut() {
	g.stream++
	g.last, g.acked = 0, -1
}

// synchronise sends the replica everything that the primary has.
func (g *Group) synchronise() {
	g.cut()
	if g.primary.node.Down() || g.replica.node.Down() {
		return
	}
	all := g.primary.images()
	g.deliver(func() {
		g.received = all
		g.replica.keys.Replace(bare(all))
	})
}

// send sends the replica what a command has done, in one piece.
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

// delivery is on its way to the replica.
type delivery struct {
	group    *Group
	stream   int
	offset   int64
	from, to *sim.Node
	do       func()
}

// deliver lets do happen at the replica after a lag.
func (g *Group) deliver(do func()) {
	d := &delivery{g, g.stream, g.offset, g.primary.node, g.replica.node, do}
	w := d.to.World()
	x := g.lags.At(g.drawn)
	g.drawn++
	g.last = max(w.Time()+g.lag.Sample(&x), g.last)
	w.At(g.last, func() { w.WhenOpen(d.from, d.to, d.arrive) })
}

// arrive is the end of the lag.
func (d *delivery) arrive() {
	// A replica that is stopped reads on when it goes on, as a wall timer does.
	d.to.AtWall(d.to.Now(), d.take)
}

// take is the effect at the replica.
func (d *delivery) take() {
	if d.stream != d.group.stream {
		return
	}
	w := d.to.World()
	w.Note(d.to.Name(), "replicated", nil)
	d.do()
	w.WhenOpen(d.to, d.from, d.acknowledge)
}

// acknowledge is the news of it at the primary.
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
