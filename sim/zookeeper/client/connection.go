package client

import (
	"context"
	"time"

	"lockquake/sim"
	"lockquake/sim/zookeeper/wire"
)

// start starts the task that keeps a connection.
func (c *Client) start() {
	if c.started {
		return
	}
	c.started = true
	random := c.env.Rand("servers")
	random.Shuffle(len(c.servers), func(i, j int) { c.servers[i], c.servers[j] = c.servers[j], c.servers[i] })
	c.env.Go("connection", func() {
		for !c.closed && !c.process.Crashed() {
			if conn := c.dial(); conn != nil {
				c.use(conn)
			}
		}
		c.fail(&c.calls, ErrClosing)
		c.fail(&c.unsent, ErrClosing)
		c.endWatches(ErrClosing)
	})
}

// server returns the next server. After all were tried in vain it gives up the requests that wait, and
// pauses, as go-zookeeper does.
func (c *Client) server() string {
	const pause = time.Second
	c.next = (c.next + 1) % len(c.servers)
	again := c.next == c.wrap
	if c.wrap < 0 {
		c.wrap = 0
	}
	if again {
		c.fail(&c.unsent, ErrNoServer)
		_ = c.env.Sleep(context.Background(), pause)
	}
	return c.servers[c.next]
}

// readTimeout returns how long a silent server counts as alive. Pings are sent twice as often.
func (c *Client) readTimeout() time.Duration { return c.status.Timeout * 2 / 3 }

// dial connects with the next server and opens or continues the session. It returns nil if that fails.
func (c *Client) dial() *sim.Conn {
	ctx := context.Background()
	conn, err := c.process.Dial(ctx, c.server(), c.options.Connect)
	if err != nil {
		return nil
	}
	const patience = 10 // read timeouts that a server may take for the first reply
	hello := &wire.Request{
		Op: wire.Op{Kind: wire.Connect}, Seen: c.seen, Session: c.status.Session, Password: c.password, Timeout: c.status.Timeout,
	}
	var reply *wire.Reply
	if err = conn.Send("hello", hello); err == nil {
		var answer any
		answer, err = conn.Receive(ctx, patience*c.readTimeout())
		reply, _ = answer.(*wire.Reply)
	}
	switch {
	case err != nil || reply.Closed:
		conn.Close()
		return nil
	case reply.Session == 0:
		conn.Close()
		c.expired()
		return nil
	}
	c.wrap = c.next
	c.password = reply.Password
	c.conn = conn
	c.change(Status{Session: reply.Session, Timeout: reply.Timeout, Connected: true, Connections: c.status.Connections + 1})
	return conn
}

// expired notes that the session has expired. The next connection opens another one.
func (c *Client) expired() {
	c.password, c.seen = 0, 0
	c.endWatches(wire.ErrSessionExpired)
	c.change(Status{Timeout: c.status.Timeout, Connections: c.status.Connections})
}

// use receives until the connection ends.
func (c *Client) use(conn *sim.Conn) {
	c.env.Go("ping", func() { c.ping(conn) })
	if q := c.resetWatches(); q != nil {
		_ = c.send(conn, "setWatches", &call{request: q, done: c.env.NewSem(0)})
	}
	unsent := c.unsent
	c.unsent = nil
	for _, call := range unsent {
		call.done.Release() // its caller sends it
	}
	for c.receive(conn) {
	}
	conn.Close()
	c.conn = nil
	s := c.status
	s.Connected = false
	c.change(s)
	c.fail(&c.calls, ErrConnectionClosed)
}

// receive handles the next message of the server. It reports whether the connection is still of use.
func (c *Client) receive(conn *sim.Conn) bool {
	answer, err := conn.Receive(context.Background(), c.readTimeout())
	r, _ := answer.(*wire.Reply)
	switch {
	case err != nil || r.Closed:
		return false
	case r.Event != nil:
		c.notify(*r.Event)
		return true
	}
	for i, call := range c.calls {
		if call.request.Xid != r.Xid {
			continue
		}
		c.calls = append(c.calls[:i:i], c.calls[i+1:]...)
		c.seen = max(c.seen, r.Zxid)
		call.reply = r
		c.left(call)
		call.done.Release()
		return call.request.Kind != wire.Close
	}
	return true // the reply to a ping
}

// left adds the watch that a request has left, before any other message is handled.
func (c *Client) left(call *call) {
	q, r := call.request, call.reply
	switch {
	case !q.Watch:
	case r.Code == wire.OK && q.Kind == wire.Children:
		call.watch = c.addWatch(watchChildren, q.Path)
	case r.Code == wire.OK:
		call.watch = c.addWatch(watchData, q.Path)
	case r.Code == wire.ErrNoNode && q.Kind == wire.Exists:
		call.watch = c.addWatch(watchExist, q.Path)
	}
}

// ping keeps the session alive while the connection lasts.
func (c *Client) ping(conn *sim.Conn) {
	for {
		if err := c.env.Sleep(context.Background(), c.readTimeout()/2); err != nil || c.conn != conn {
			return
		}
		if err := conn.Send("ping", &wire.Request{Xid: -2, Op: wire.Op{Kind: wire.Ping}}); err != nil {
			conn.Close()
			return
		}
	}
}
