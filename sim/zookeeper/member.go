package zookeeper

import (
	"fmt"
	"slices"
	"time"

	"lockquake/sim"
	"lockquake/sim/zookeeper/tree"
	"lockquake/sim/zookeeper/wire"
)

// member is one server of an ensemble. It implements sim.Server and sim.Failer.
type member struct {
	ensemble *Ensemble
	id       int // from 1
	node     *sim.Node

	// What a crash keeps: the tree with the committed transactions, and those that it has accepted
	// and that are not committed.
	tree *tree.Tree
	tail []*proposal

	leader  *leadership // that it leads or follows; nil: it looks for one
	term    int         // changes with the leadership, so that late messages are ignored
	serving bool        // clients can use it
	conns   []*connection
	watches watches

	// Of a follower:

	heard   time.Duration // from its leader last, by its monotonic clock
	touched []int64       // sessions that it has heard from since the last ping of its leader
	behind  time.Duration // by which it applies transactions late
	late    []func()      // what it does late, in order
	due     time.Duration // when the last of it is due
}

// setTree gives the member another tree.
func (m *member) setTree(t *tree.Tree) {
	m.tree = t
	t.Fired = m.fired
}

// last returns the zxid of the last transaction that the member has accepted.
func (m *member) last() int64 {
	if n := len(m.tail); n > 0 {
		return m.tail[n-1].txn.Zxid
	}
	return m.tree.Zxid()
}

// leads reports whether the member leads.
func (m *member) leads() bool { return m.leader != nil && m.leader.member == m }

// Serve implements sim.Server.
func (m *member) Serve(c *sim.Call) {
	q, ok := c.Req.(*wire.Request)
	if !ok {
		panic(fmt.Sprintf("zookeeper: a request of type %T", c.Req))
	}
	if c.DropCopy() {
		return
	}
	m.connection(c.Session).receive(c, q)
}

// connection returns the member's end of a connection, which begins with its first request.
func (m *member) connection(s *sim.Session) *connection {
	conn, ok := s.Data.(*connection)
	if !ok {
		conn = &connection{member: m, net: s}
		s.Data = conn
		m.conns = append(m.conns, conn)
	}
	return conn
}

// Fail implements sim.Failer: the member throttles the request, whatever the text. Its answer waits for those to
// the earlier requests of the connection. There is no such answer to the first one, so the connection ends.
func (m *member) Fail(c *sim.Call, _ string) {
	conn, q := m.connection(c.Session), c.Req.(*wire.Request)
	if !conn.accepts(false) {
		return
	}
	m.touch(conn.id)
	conn.queue = append(conn.queue, &pending{conn: conn, call: c, req: q, reply: &wire.Reply{Xid: q.Xid, Zxid: m.tree.Zxid(), Code: wire.ErrThrottledOp}})
	conn.flush()
}

// Closed implements sim.Server. The session of the client goes on.
func (m *member) Closed(s *sim.Session, _ error) {
	if conn, ok := s.Data.(*connection); ok {
		conn.drop()
	}
}

// leave ends the part of the member in a leadership: it closes its connections and looks for a leader.
func (m *member) leave() {
	l := m.leader
	m.leader, m.serving = nil, false
	m.term++
	m.touched, m.late, m.due = nil, nil, 0
	for _, c := range slices.Clone(m.conns) {
		c.farewell()
	}
	m.watches = watches{}
	if l == nil {
		return
	}
	// The other end learns of it, since the connection between the two ends.
	for _, f := range slices.Clone(l.followers) {
		switch {
		case l.member == m:
			l.send(m, f.member, f.member.look)
		case f.member == m:
			l.send(m, l.member, func() { l.remove(f) })
		}
	}
}

// look leaves a leadership and looks for another one.
func (m *member) look() {
	m.leave()
	m.ensemble.vote()
}

// apply applies a committed transaction. The watches fire before the reply to the request leaves.
func (m *member) apply(p *proposal) {
	if len(m.tail) > 0 && m.tail[0] == p {
		m.tail = m.tail[1:]
	}
	reply := m.tree.Apply(p.txn)
	if p.from != nil && p.from.conn.member == m {
		p.from.finish(reply)
	}
	if p.txn.Closes {
		for _, c := range slices.Clone(m.conns) {
			if c.id == p.txn.Session {
				c.farewell()
			}
		}
	}
}
