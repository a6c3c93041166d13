package client

import (
	"context"
	"net"
	"runtime"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/resp"
)

// pubsubConn is the connection of a PubSub of go-redis, which does not use hooks. ReceiveTimeout and Channel end the
// run, since they use the machine's clock and goroutines of go-redis.
type pubsubConn struct {
	*wireConn
	hook *hook
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
	return &pubsubConn{newWireConn(conn, c.process), c}, nil
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

// Write implements net.Conn.
func (c *pubsubConn) Write(b []byte) (int, error) {
	if c.hook.isForeign() {
		return 0, goredis.ErrClosed
	}
	return c.wireConn.Write(b)
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
	return c.wireConn.SetReadDeadline(t)
}

// Close implements net.Conn.
func (c *pubsubConn) Close() error {
	if c.hook.isForeign() {
		return nil
	}
	return c.wireConn.Close()
}

// SetDeadline implements net.Conn. go-redis gives it a time of the machine's clock.
func (c *pubsubConn) SetDeadline(time.Time) error { return nil }
