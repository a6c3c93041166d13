package zookeeper

import (
	"slices"
	"time"

	"lockquake/sim"
	"lockquake/sim/zookeeper/wire"
)

// connection is a member's end of a client's connection.
type connection struct {
	member *member
	net    *sim.Session
	id     int64      // the session of the client; 0 before it has one
	queue  []*pending // requests without an answer, in order
	over   bool       // the member has closed it
}

// pending is a request of a client that is not answered yet.
type pending struct {
	conn  *connection
	call  *sim.Call
	req   *wire.Request
	reply *wire.Reply // nil: it is not known yet
}

// receive handles a request. Writes go to the leader at once. A read waits for the earlier requests
// of its connection.
func (c *connection) receive(call *sim.Call, q *wire.Request) {
	m := c.member
	if !c.accepts(q.Kind == wire.Connect) {
		return
	}
	p := &pending{conn: c, call: call, req: q}
	c.queue = append(c.queue, p)
	switch {
	case q.Kind == wire.Connect:
		c.connect(p)
		return
	case q.Writes():
		m.leader.forward(m, func(l *leadership) { l.request(p) })
	case q.Kind == wire.Sync:
		m.leader.forward(m, func(l *leadership) { l.sync(p) })
	}
	m.touch(c.id)
	c.flush()
}

// accepts reports whether the member handles a request that opens the connection, or another one. If not it closes
// the connection.
func (c *connection) accepts(opens bool) bool {
	if c.over {
		return false
	}
	if !c.member.serving || !opens && c.id == 0 {
		c.farewell()
		return false
	}
	return true
}

// connect opens a session, or continues one on this connection. A client that has seen more than the
// member has to look for another one.
func (c *connection) connect(p *pending) {
	m, q := c.member, p.req
	if q.Seen > m.tree.Zxid() {
		c.farewell()
		return
	}
	timeout := SessionTimeout(q.Timeout, m.ensemble.options.Tick)
	if q.Session == 0 {
		m.leader.forward(m, func(l *leadership) { l.open(p, timeout) })
		return
	}
	// The session has one connection with this member.
	for _, other := range slices.Clone(m.conns) {
		if other != c && other.id == q.Session {
			other.farewell()
		}
	}
	_, password, ok := m.tree.Session(q.Session)
	if ok && password != q.Password {
		c.connected(p, 0, 0, timeout)
		return
	}
	m.leader.forward(m, func(l *leadership) {
		valid := l.revalidate(q.Session, m)
		l.back(m, func() {
			if valid {
				c.connected(p, q.Session, q.Password, timeout)
			} else {
				c.connected(p, 0, 0, timeout)
			}
		})
	})
}

// connected answers the first request of a connection. Without a session the connection ends.
func (c *connection) connected(p *pending, id int64, password uint64, timeout time.Duration) {
	p.call.Applied()
	p.finish(&wire.Reply{Session: id, Password: password, Timeout: timeout, Zxid: c.member.tree.Zxid()})
	if id == 0 {
		c.farewell()
	}
}

// finish has the reply to a request, and sends it when it is next.
func (p *pending) finish(r *wire.Reply) {
	r.Xid = p.req.Xid
	p.reply = r
	if p.req.Kind == wire.Connect {
		p.conn.id = r.Session
	}
	if r.Code == wire.ErrSessionMoved {
		p.conn.farewell() // the client has another connection
		return
	}
	p.conn.flush()
}

// flush answers the requests at the head of the queue.
func (c *connection) flush() {
	for !c.over && len(c.queue) > 0 {
		p := c.queue[0]
		if p.reply == nil {
			if p.reply = c.read(p.req); p.reply == nil {
				return
			}
			if p.call.Applied(); c.over { // a fault at this point has ended the connection
				return
			}
		}
		c.queue = c.queue[1:]
		p.call.Reply(p.reply)
	}
}

// read answers a request that needs no other member, nil for others.
func (c *connection) read(q *wire.Request) *wire.Reply {
	m := c.member
	switch q.Kind {
	case wire.Ping:
		return &wire.Reply{Xid: q.Xid, Zxid: m.tree.Zxid()}
	case wire.SetWatches:
		m.setWatches(c, q)
		return &wire.Reply{Xid: q.Xid, Zxid: m.tree.Zxid()}
	case wire.Exists, wire.GetData, wire.Children:
		r := m.tree.Read(q)
		if q.Watch && (r.Code == wire.OK || q.Kind == wire.Exists) {
			m.watches.add(q.Kind == wire.Children, q.Path, c)
		}
		return r
	default:
		return nil
	}
}

// push sends a watch event.
func (c *connection) push(e wire.Event) {
	if !c.over {
		c.net.Push("event", &wire.Reply{Event: &e, Zxid: c.member.tree.Zxid()})
	}
}

// farewell closes the connection after what was sent before.
func (c *connection) farewell() {
	if c.over {
		return
	}
	c.drop()
	c.net.Push("farewell", &wire.Reply{Closed: true})
}

// drop forgets the connection.
func (c *connection) drop() {
	m := c.member
	c.over, c.queue = true, nil
	m.conns = slices.DeleteFunc(m.conns, func(other *connection) bool { return other == c })
	m.watches.drop(c)
}
