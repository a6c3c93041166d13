package client

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"

	"lockquake/sim"
	"lockquake/sim/zookeeper/wire"
)

// netConn is a connection for a client that speaks ZooKeeper's protocol itself. A task of the world calls Read, Write and Close. It has
// no addresses and no deadlines.
type netConn struct {
	net.Conn  // nil
	process   *sim.Process
	conn      *sim.Conn
	out, in   []byte
	connected bool // the first request has been sent
	answered  bool
	waiting   []waiting // for replies, in order
}

// waiting is a request without a reply.
type waiting struct {
	request *wire.Request
	number  int32
}

// dialServer opens a connection with a server.
func (c *Client) dialServer(ctx context.Context, server string, timeout time.Duration) (net.Conn, error) {
	conn, err := c.process.Dial(ctx, server, timeout)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return &netConn{process: c.process, conn: conn}, nil
}

// Write implements net.Conn. It sends each request that is complete.
func (c *netConn) Write(b []byte) (int, error) {
	c.out = append(c.out, b...)
	for len(c.out) >= 4 {
		size := int(binary.BigEndian.Uint32(c.out))
		if len(c.out)-4 < size {
			break
		}
		if err := c.send(c.out[4 : 4+size]); err != nil {
			return 0, err
		}
		c.out = c.out[4+size:]
	}
	return len(b), nil
}

func (c *netConn) send(frame []byte) error {
	op := "hello"
	var (
		q   *wire.Request
		n   int32
		err error
	)
	if c.connected {
		q, n, err = decodeRequest(frame)
	} else {
		q, err = decodeConnect(frame)
	}
	if err != nil {
		c.process.Node().World().Fail(err)
		return err
	}
	if c.connected {
		op = string(q.Kind)
		if q.Kind != wire.Ping {
			c.waiting = append(c.waiting, waiting{q, n})
		}
	}
	c.connected = true
	return c.conn.Send(op, q)
}

// Read implements net.Conn.
func (c *netConn) Read(b []byte) (int, error) {
	if len(c.in) == 0 {
		answer, err := c.conn.Receive(context.Background(), 0)
		if err != nil {
			return 0, err
		}
		if r := answer.(*wire.Reply); !c.reply(r) {
			return 0, io.EOF
		}
	}
	n := copy(b, c.in)
	c.in = c.in[n:]
	return n, nil
}

// reply encodes a message of the server. It reports false if the server closes the connection.
func (c *netConn) reply(r *wire.Reply) bool {
	switch {
	case r.Closed:
		return false
	case !c.answered:
		c.answered, c.in = true, encodeConnected(r)
		return true
	}
	var of waiting
	if r.Event == nil && len(c.waiting) > 0 && c.waiting[0].request.Xid == r.Xid {
		of, c.waiting = c.waiting[0], c.waiting[1:]
	}
	c.in = encodeReply(r, of.request, of.number)
	return true
}

// Close implements net.Conn.
func (c *netConn) Close() error {
	c.conn.Close()
	return nil
}
