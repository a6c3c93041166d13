package client

import (
	"context"
	"net"
	"runtime"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/resp"
)

// pubsubConn is the connection of a PubSub of go-redis, which does not use hooks: it converts the
// bytes that go-redis writes and reads to requests and pushed messages of the simulation.
// ReceiveTimeout and Channel end the run, since they use the machine's clock and goroutines of
// go-redis.
type pubsubConn struct {
	hook     *hook
	conn     *sim.Conn
	written  []byte // an incomplete command
	unread   []byte
	deadline time.Time // by the wall clock of the process's node
}

// dialPubSub opens the connection of a PubSub. It makes the handshake too, so that of go-redis is
// skipped.
func (c *hook) dialPubSub(ctx context.Context, _, _ string) (net.Conn, error) {
	if c.isForeign() {
		return nil, goredis.ErrClosed
	}
	conn, err := c.dialOnce()
	if err != nil {
		return nil, err
	}
	if _, err := conn.Call(context.Background(), "hello", &resp.Command{Args: []string{"hello", "2"}}, c.timeout(ctx, nil)); err != nil {
		conn.Close()
		return nil, err
	}
	c.greeted = true
	return &pubsubConn{hook: c, conn: conn}, nil
}

// isForeign reports whether the caller is a goroutine of PubSub.Channel. If so, the next use of the
// client ends the run.
func (c *hook) isForeign() bool {
	const deep = 32
	var callers [deep]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "redis/v9.(*channel).") {
			c.foreign.Store(true)
			return true
		}
		if !more {
			return false
		}
	}
}

// refuse ends the run because of a feature that is not simulated.
func (c *hook) refuse(op, what, hint string) error {
	err := &keyspace.NotSimulatedError{Worker: c.process.Name(), Op: op, What: what, Hint: hint}
	c.process.Node().World().Fail(err)
	return err
}

// Write implements net.Conn. It does not wait for the reply.
func (c *pubsubConn) Write(b []byte) (int, error) {
	if c.hook.isForeign() {
		return 0, goredis.ErrClosed
	}
	c.written = append(c.written, b...)
	for len(c.written) > 0 {
		command, rest, err := resp.ParseRESP(c.written)
		if err != nil {
			return len(b), nil //nolint:nilerr // the rest of the command is still missing
		}
		words := make([]string, len(command.Elems))
		for i := range command.Elems {
			words[i] = command.Elems[i].Text
		}
		c.written = append(c.written[:0], rest...)
		if err := c.conn.Send(words[0], &resp.Command{Args: words}); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// Read implements net.Conn.
func (c *pubsubConn) Read(b []byte) (int, error) {
	if len(c.unread) == 0 {
		timeout := time.Duration(0)
		if !c.deadline.IsZero() {
			timeout = max(c.deadline.Sub(c.hook.process.Node().Now()), time.Nanosecond)
		}
		message, err := c.conn.Receive(context.Background(), timeout)
		if err != nil {
			return 0, err
		}
		c.unread = message.(*resp.Reply).AppendRESP(c.unread[:0])
	}
	n := copy(b, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// SetReadDeadline implements net.Conn. A context of the worker has a deadline by the node's clock,
// and ReceiveTimeout one by the machine's clock, which ends the run.
func (c *pubsubConn) SetReadDeadline(t time.Time) error {
	const soon = 30 * 24 * time.Hour
	switch {
	case c.hook.isForeign():
		return goredis.ErrClosed
	case !t.IsZero() && t.Sub(c.hook.process.Node().Now()).Abs() > soon:
		return c.hook.refuse("receive", "SUBSCRIBE with PubSub.ReceiveTimeout", "that goes by the machine's clock; use Receive with a context of Env.WithTimeout, or the port's Subscriber")
	}
	c.deadline = t
	return nil
}

// Close implements net.Conn.
func (c *pubsubConn) Close() error {
	if !c.hook.isForeign() {
		c.conn.Close()
	}
	return nil
}

func (c *pubsubConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *pubsubConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *pubsubConn) SetDeadline(time.Time) error      { return nil }
func (c *pubsubConn) SetWriteDeadline(time.Time) error { return nil }
