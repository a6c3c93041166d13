package locktest

import (
	"cmp"
	"context"
	"slices"

	"lockquake/lock/env"
	"lockquake/lock/etcd"
)

// Etcd reaches the members of a simulated etcd cluster, from goroutines of the process. Package
// locktest/etcdclient makes the official client of it.
type Etcd struct {
	process process
	port    etcd.Port
	first   int
}

// etcd returns how the goroutines of the bubble reach a cluster.
func (p process) etcd(port etcd.Port) *Etcd {
	e := &Etcd{process: p, port: port}
	_ = p.Ask(p.worker, "etcd", func() { e.first = p.worker.Rand("etcd").IntN(len(port.Members)) })
	return e
}

// Members returns the names of the members, beginning with a random one.
func (e *Etcd) Members() []string {
	return slices.Concat(e.port.Members[e.first:], e.port.Members[:e.first])
}

// Dial connects to a member.
func (e *Etcd) Dial(member string) (etcd.Conn, error) {
	c := &etcdConn{process: e.process, name: member}
	var err error
	over := c.Ask(c.worker, member+" dial", func() {
		c.inner, err = e.port.Dial(context.Background(), member)
	})
	if err := cmp.Or(over, err); err != nil {
		return nil, err
	}
	return c, nil
}

// etcdConn is a connection to a member, for goroutines of the bubble. Each call lasts until the world has done
// it; no context ends it.
type etcdConn struct {
	process
	name  string
	inner etcd.Conn // for tasks of the world
}

// Do implements etcd.Conn. The worker passes the point OP.called before the request leaves.
func (c *etcdConn) Do(ctx context.Context, r etcd.Request) (answer *etcd.Response, err error) {
	op := env.Op(ctx)
	over := c.Ask(c.worker, c.name+" "+etcd.Text(r), func() {
		if op != "" {
			c.worker.Point(op + ".called")
		}
		answer, err = c.inner.Do(env.WithOp(context.Background(), op), r)
	})
	return answer, cmp.Or(over, err)
}

// Watch implements etcd.Conn.
func (c *etcdConn) Watch(_ context.Context, w *etcd.Watch) (etcd.Watcher, int64, error) {
	var (
		of      etcd.Watcher
		created int64
		err     error
	)
	over := c.Ask(c.worker, c.name+" watch "+w.Key, func() { of, created, err = c.inner.Watch(context.Background(), w) })
	if err := cmp.Or(over, err); err != nil {
		return nil, 0, err
	}
	return &etcdWatcher{c, w.Key, of}, created, nil
}

// Broken implements etcd.Conn.
func (c *etcdConn) Broken(context.Context) (err error) {
	over := c.Ask(c.worker, c.name+" broken", func() { err = c.inner.Broken(context.Background()) })
	return cmp.Or(over, err)
}

// Close implements etcd.Conn.
func (c *etcdConn) Close() { _ = c.Ask(c.worker, c.name+" close", c.inner.Close) }

// etcdWatcher is a watch, for goroutines of the bubble.
type etcdWatcher struct {
	*etcdConn
	key string
	of  etcd.Watcher
}

// Next implements etcd.Watcher.
func (w *etcdWatcher) Next(context.Context) (changes *etcd.Changes, err error) {
	over := w.Ask(w.worker, w.name+" next "+w.key, func() { changes, err = w.of.Next(context.Background()) })
	return changes, cmp.Or(over, err)
}

// Close implements etcd.Watcher.
func (w *etcdWatcher) Close() { _ = w.Ask(w.worker, w.name+" unwatch "+w.key, w.of.Close) }
