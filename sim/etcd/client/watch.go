package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/etcd/wire"
)

// Watch implements etcd.Client.
func (c *client) Watch(ctx context.Context, w *etcd.Watch) (etcd.Watcher, error) {
	watch := &watcher{client: c, watch: *w}
	if err := watch.begin(ctx); err != nil {
		return nil, err
	}
	return watch, nil
}

// watcher is a watch of a client.
type watcher struct {
	client *client
	watch  etcd.Watch // with the next revision that it has not got
	conn   *sim.Conn  // nil: it has broken
	ended  bool
}

// begin creates the watch at the next member.
func (w *watcher) begin(ctx context.Context) error {
	c := w.client
	e, err := c.pick(ctx)
	if err != nil {
		return err
	}
	shared := e.conn
	conn, err := c.process.Dial(ctx, e.node, c.options.DialTimeout)
	if err != nil {
		if ctx.Err() == nil {
			e.broken(shared)
		}
		return err
	}
	created, err := create(ctx, conn, w.watch, c.options.RequestTimeout)
	if err != nil {
		conn.Close()
		return err
	}
	if w.watch.Revision == 0 {
		w.watch.Revision = created.Revision + 1
	}
	w.conn = conn
	return nil
}

// create creates a watch on a connection of its own. It waits for the answer at most for timeout (0: forever).
func create(ctx context.Context, conn *sim.Conn, w etcd.Watch, timeout time.Duration) (*etcd.Changes, error) {
	answer, err := conn.Call(ctx, "watch", &wire.Request{Watch: &w}, timeout)
	if err != nil {
		return nil, err
	}
	reply, ok := answer.(*wire.Reply)
	switch {
	case !ok:
		return nil, sim.ErrReset
	case reply.Err != nil:
		return nil, reply.Err
	case reply.Changes.Ended:
		return nil, fmt.Errorf("etcd: watch: %s", reply.Changes.Reason)
	}
	return reply.Changes, nil
}

// Next implements etcd.Watcher. If the connection breaks, the watch goes on at another member with the
// revision after the last that it got.
func (w *watcher) Next(ctx context.Context) (*etcd.Changes, error) {
	for !w.ended {
		for w.conn == nil {
			err := w.begin(ctx)
			if err == nil {
				break
			}
			if ctx.Err() != nil || errors.Is(err, sim.ErrOver) {
				return nil, err
			}
			if err := w.client.worker.Sleep(ctx, retryPause); err != nil {
				return nil, err
			}
		}
		message, err := w.conn.Receive(ctx, 0)
		if err == nil {
			changes := message.(*wire.Reply).Changes
			w.ended = changes.Ended
			w.watch.Revision = max(w.watch.Revision, changes.Revision+1)
			return changes, nil
		}
		if ctx.Err() != nil || errors.Is(err, sim.ErrOver) {
			return nil, err
		}
		w.conn.Close()
		w.conn = nil
	}
	return nil, errEnded
}

var errEnded = errors.New("etcd: the watch has ended")

// Close implements etcd.Watcher.
func (w *watcher) Close() {
	w.ended = true
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}
