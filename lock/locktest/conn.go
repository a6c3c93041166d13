package locktest

import (
	"cmp"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"lockquake/sim"
)

// dial opens a connection of the world for goroutines of the bubble. No context ends it. PointOf returns the point
// that the worker passes before it writes something, "" for none.
func (p process) dial(name string, pointOf func(written []byte) string, dial func() (net.Conn, error)) (net.Conn, error) {
	c := &conn{process: p, name: name, pointOf: pointOf, changed: make(chan struct{})}
	var err error
	over := p.Ask(p.worker, name+" dial", func() { c.inner, err = dial() })
	if err := cmp.Or(over, netError("dial", err)); err != nil {
		return nil, err
	}
	return c, nil
}

// netError returns an error of the world's network as package net returns it. A client decides by the error's type whether it sends
// a request again.
func netError(op string, err error) error {
	call := op
	if op == "dial" {
		call = "connect"
	}
	switch {
	case errors.Is(err, sim.ErrRefused):
		err = os.NewSyscallError(call, syscall.ECONNREFUSED)
	case errors.Is(err, sim.ErrReset):
		err = os.NewSyscallError(call, syscall.ECONNRESET)
	case errors.Is(err, sim.ErrClosed):
		err = net.ErrClosed
	case errors.Is(err, sim.ErrTimeout) && op != "dial":
		err = os.ErrDeadlineExceeded
	default:
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Err: err}
}

// conn is a connection of the world. A read that its deadline ends goes on in the world; its connection is of no
// further use, as the clients of servers assume.
type conn struct {
	process process
	name    string
	pointOf func(written []byte) string
	inner   net.Conn // for tasks of the world

	mu       sync.Mutex
	deadline time.Time
	changed  chan struct{} // is closed when the deadline changes
}

// result is the result of a read or a write.
type result struct {
	n   int
	err error
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	buffer := make([]byte, len(b))
	done := make(chan result, 1)
	go func() {
		var r result
		over := c.process.Ask(c.process.worker, c.name+" read", func() { r.n, r.err = c.inner.Read(buffer) })
		done <- result{r.n, cmp.Or(over, netError("read", r.err))}
	}()
	for {
		late, changed := c.late()
		select {
		case r := <-done:
			return copy(b, buffer[:r.n]), r.err
		case <-late:
			return 0, netError("read", sim.ErrTimeout)
		case <-changed:
		}
	}
}

// late returns a channel that the deadline sends to, nil for none, and one that is closed when it changes.
func (c *conn) late() (<-chan time.Time, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline.IsZero() {
		return nil, c.changed
	}
	return time.After(time.Until(c.deadline)), c.changed
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (int, error) {
	var r result
	over := c.process.Ask(c.process.worker, c.name+" write", func() {
		if point := c.pointOf(b); point != "" {
			c.process.worker.Point(point)
		}
		r.n, r.err = c.inner.Write(b)
	})
	return r.n, cmp.Or(over, netError("write", r.err))
}

// Close implements net.Conn.
func (c *conn) Close() (err error) {
	over := c.process.Ask(c.process.worker, c.name+" close", func() { err = c.inner.Close() })
	return cmp.Or(over, err)
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	close(c.changed)
	c.changed = make(chan struct{})
	return nil
}

// SetWriteDeadline implements net.Conn. A write takes no time.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }
