package client

import (
	"context"

	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/etcd/wire"
)

// Dial connects a process to the member on a node, for a client that has its own retries. It takes at most
// DialTimeout.
func Dial(ctx context.Context, p *sim.Process, node string, o Options) (etcd.Conn, error) {
	c := &connection{process: p, node: node, options: o.WithDefaults()}
	inner, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	c.inner = inner
	return c, nil
}

// connection is a connection to one member. A watch on it has a connection of its own.
type connection struct {
	process *sim.Process
	node    string
	options Options
	inner   *sim.Conn
}

func (c *connection) dial(ctx context.Context) (*sim.Conn, error) {
	return c.process.Dial(ctx, c.node, c.options.DialTimeout)
}

// Do implements etcd.Conn. Only ctx, or the end of the connection, ends the wait for an answer.
func (c *connection) Do(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	return call(ctx, c.inner, r, 0)
}

// Watch implements etcd.Conn.
func (c *connection) Watch(ctx context.Context, w *etcd.Watch) (etcd.Watcher, int64, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, 0, err
	}
	created, err := create(ctx, conn, *w, 0)
	if err != nil {
		conn.Close()
		return nil, 0, err
	}
	return pushed{conn}, created.Revision, nil
}

// Broken implements etcd.Conn.
func (c *connection) Broken(ctx context.Context) error { return c.inner.Ended(ctx) }

// Close implements etcd.Conn.
func (c *connection) Close() { c.inner.Close() }

// pushed is a watch that ends with its connection.
type pushed struct{ conn *sim.Conn }

// Next implements etcd.Watcher.
func (w pushed) Next(ctx context.Context) (*etcd.Changes, error) {
	message, err := w.conn.Receive(ctx, 0)
	if err != nil {
		return nil, err
	}
	return message.(*wire.Reply).Changes, nil
}

// Close implements etcd.Watcher.
func (w pushed) Close() { w.conn.Close() }
