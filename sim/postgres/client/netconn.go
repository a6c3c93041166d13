package client

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/postgres/wire"
	"lockquake/sim/resource"
)

// netConn is the connection that pgx uses. Write collects messages. The next Read sends them as one
// packet, and waits for the answer.
//
// pgx starts a goroutine to close a failed connection, and another one to read during a slow write.
// Every method returns a timeout to such a goroutine and changes nothing. netConn closes itself, in
// virtual time.
type netConn struct {
	process *sim.Process
	node    string
	conn    *sim.Conn
	out, in []byte
	err     error // why it is broken; nil: it is not

	// Of the present statement.
	ctx  context.Context
	data *resource.Request

	started bool   // the startup has been answered
	pid     uint32 // of the session at the server, for a cancel request; 0: a pooler gave none
	secret  []byte

	cancelling bool
	closed     []func() // called when the cancel request has ended
}

// timeoutError reports a failure to pgx as a timeout. pgx then leaves the connection open, and netConn
// closes it.
type timeoutError struct{ error }

func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }
func (e timeoutError) Unwrap() error   { return e.error }

// Write implements net.Conn.
func (c *netConn) Write(b []byte) (int, error) {
	if !sim.OnTask() {
		return 0, timeoutError{sim.ErrForeignGoroutine}
	}
	c.out = append(c.out, b...)
	return len(b), nil
}

// Read implements net.Conn.
func (c *netConn) Read(b []byte) (int, error) {
	switch {
	case !sim.OnTask():
		return 0, timeoutError{sim.ErrForeignGoroutine}
	case len(c.in) == 0 && c.err == nil:
		c.err = c.exchange()
	}
	switch {
	case len(c.in) > 0:
	case c.err == nil: // the server has ended the session
		return 0, io.EOF
	default:
		return 0, timeoutError{c.err}
	}
	n := copy(b, c.in)
	c.in = c.in[n:]
	return n, nil
}

// exchange sends what was written and waits for the answer. If the wait fails, it closes the
// connection.
func (c *netConn) exchange() error {
	answer, err := c.ask()
	if err == nil {
		c.in, c.started = answer.Bytes, true
		return nil
	}
	c.abandon(err)
	return err
}

func (c *netConn) ask() (*wire.Packet, error) {
	if c.conn.Unread() { // the server has ended the session meanwhile
		farewell, err := c.conn.Receive(context.Background(), 0)
		if err != nil {
			return nil, err
		}
		return farewell.(*wire.Packet), nil
	}
	request := &wire.Packet{Bytes: c.out, Data: c.data}
	c.out = nil
	op := env.Op(c.ctx)
	if op == "" {
		op = "query"
	}
	if !c.started {
		op, request.Label = "connect", "startup"
	}
	answer, err := c.conn.Call(c.ctx, op, request, 0)
	switch {
	case err != nil && c.ctx.Err() != nil:
		return nil, c.ctx.Err()
	case err != nil:
		return nil, err
	}
	return answer.(*wire.Packet), nil
}

// cancelTimeout is the time that pgx allows for a cancel request.
const cancelTimeout = 15 * time.Second

// abandon ends a connection that has failed, as pgx does in the background: it asks the server to
// cancel the statement, then closes the connection. A session that has lost its client would
// otherwise go on to wait for a lock.
func (c *netConn) abandon(why error) {
	if c.pid == 0 || why == sim.ErrOver { //nolint:errorlint // ErrOver is never wrapped
		c.conn.Close()
		return
	}
	c.cancelling = true
	c.process.Node().World().Go("cancel", func() {
		c.cancel()
		c.conn.Close()
		c.cancelling = false
		for _, f := range c.closed {
			f()
		}
	})
}

// cancel sends a cancel request and waits for its answer.
func (c *netConn) cancel() {
	node := c.process.Node()
	end := node.Mono() + cancelTimeout
	conn, err := c.process.Dial(context.Background(), c.node, cancelTimeout)
	if err != nil {
		return
	}
	if left := end - node.Mono(); left > 0 {
		body, _ := (&pgproto3.CancelRequest{ProcessID: c.pid, SecretKey: c.secret}).Encode(nil) // it has a valid length
		_, _ = conn.Call(context.Background(), "cancel", &wire.Packet{Bytes: body, Label: "cancel"}, left)
	}
	conn.Close()
}

// close closes the connection, and calls done then.
func (c *netConn) close(done func()) {
	if c.cancelling {
		c.closed = append(c.closed, done)
		return
	}
	c.conn.Close()
	done()
}

// Close implements net.Conn.
func (c *netConn) Close() error {
	if sim.OnTask() {
		c.conn.Close()
	}
	return nil
}

// LocalAddr implements net.Conn.
func (c *netConn) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr implements net.Conn.
func (c *netConn) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline implements net.Conn. No deadline is needed: a wait ends with the context of its
// statement.
func (c *netConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (c *netConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (c *netConn) SetWriteDeadline(time.Time) error { return nil }
