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
)

// pubsubConn is the connection of one of go-redis's subscriptions, which go past
// its hooks: go-redis writes and reads bytes here, and these are requests and
// pushed messages of the simulation. A PubSub is used as ever, but for two things
// that happen by the machine's clock and on goroutines of go-redis: ReceiveTimeout
// and Channel. They end the run.
type pubsubConn struct {
	conductor *conductor
	conn      *sim.Conn
	written   []byte // of a command that is not complete
	unread    []byte
	deadline  time.Time // by the clock of the process
}

// dialPubSub opens the connection of a subscription. Its handshake is over when
// go-redis begins to greet.
func (c *conductor) dialPubSub(ctx context.Context, _, _ string) (net.Conn, error) {
	if c.isForeign() {
		return nil, goredis.ErrClosed
	}
	conn, err := c.dialOnce()
	if err != nil {
		return nil, err
	}
	if _, err := conn.Call(context.Background(), "hello", &keyspace.Command{Args: []string{"hello", "2"}}, c.timeout(ctx, nil)); err != nil {
		conn.Close()
		return nil, err
	}
	c.greeted = true
	return &pubsubConn{conductor: c, conn: conn}, nil
}

// isForeign reports whether the caller is a goroutine of a PubSub's channel. The
// run ends as soon as the client is used again.
func (c *conductor) isForeign() bool {
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

// refuse ends the run for something that the client cannot do here.
func (c *conductor) refuse(op, what, hint string) error {
	err := &keyspace.NotSimulatedError{Worker: c.process.Name(), Op: op, What: what, Hint: hint}
	c.process.Node().World().Fail(err)
	return err
}

// Write implements net.Conn. It does not wait for the reply.
func (c *pubsubConn) Write(b []byte) (int, error) {
	if c.conductor.isForeign() {
		return 0, goredis.ErrClosed
	}
	c.written = append(c.written, b...)
	for len(c.written) > 0 {
		command, rest, err := keyspace.ParseRESP(c.written)
		if err != nil {
			return len(b), nil //nolint:nilerr // the rest of the command is to come
		}
		words := make([]string, len(command.Elems))
		for i := range command.Elems {
			words[i] = command.Elems[i].Text
		}
		c.written = append(c.written[:0], rest...)
		if err := c.conn.Send(words[0], &keyspace.Command{Args: words}); err != nil {
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
			timeout = max(c.deadline.Sub(c.conductor.process.Node().Now()), time.Nanosecond)
		}
		message, err := c.conn.Receive(context.Background(), timeout)
		if err != nil {
			return 0, err
		}
		c.unread = message.(*keyspace.Reply).AppendRESP(c.unread[:0])
	}
	n := copy(b, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// SetReadDeadline implements net.Conn. A deadline of a context of the worker is
// one of its clock; that of ReceiveTimeout is one of the machine.
func (c *pubsubConn) SetReadDeadline(t time.Time) error {
	const soon = 30 * 24 * time.Hour
	switch {
	case c.conductor.isForeign():
		return goredis.ErrClosed
	case !t.IsZero() && t.Sub(c.conductor.process.Node().Now()).Abs() > soon:
		return c.conductor.refuse("receive", "SUBSCRIBE with PubSub.ReceiveTimeout", "that goes by the machine's clock; use Receive with a context of Env.WithTimeout, or the port's Subscriber")
	}
	c.deadline = t
	return nil
}

// Close implements net.Conn.
func (c *pubsubConn) Close() error {
	if !c.conductor.isForeign() {
		c.conn.Close()
	}
	return nil
}

func (c *pubsubConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *pubsubConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *pubsubConn) SetDeadline(time.Time) error      { return nil }
func (c *pubsubConn) SetWriteDeadline(time.Time) error { return nil }
