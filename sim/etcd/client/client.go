package client

import (
	"cmp"
	"context"
	"errors"
	"time"

	"lockquake/lock/env"
	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/etcd/wire"
)

// New returns a client of a process to the members on these nodes.
func New(p *sim.Process, nodes []string, o Options) etcd.Client {
	return &client{balancer: newBalancer(p, nodes, o.WithDefaults())}
}

type client struct {
	*balancer
	renewals *sim.Conn // to the member that gets the renewals; nil: none yet
}

// Do implements etcd.Client.
func (c *client) Do(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	for attempt := 1; ; attempt++ {
		answer, err := c.once(ctx, r)
		if err == nil || attempt > c.options.Retries || !mayRepeat(r, err) {
			return answer, err
		}
		if attempt%(len(c.members)/2+1) == 0 {
			pause := retryPause - retryJitter/2 + time.Duration(c.worker.Rand("retry").Int64N(int64(retryJitter)))
			if err := c.worker.Sleep(ctx, pause); err != nil {
				return nil, err
			}
		}
	}
}

// once sends a request to the next member. Renewals all go to one member, as on the stream of the official client, until
// that member fails or closes the connection.
func (c *client) once(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	_, renewal := r.(*etcd.KeepAlive)
	conn := c.renewals
	if !renewal || conn == nil || conn.Err() != nil {
		e, err := c.pick(ctx)
		if err != nil {
			return nil, err
		}
		conn = e.conn
	}
	if renewal {
		c.renewals = conn
	}
	answer, err := call(ctx, conn, r, c.options.RequestTimeout)
	if renewal && c.renewals == conn && mayRepeat(r, err) {
		c.renewals = nil
	}
	return answer, err
}

// call sends a request on a connection, and waits for the answer at most for timeout (0: forever).
func call(ctx context.Context, conn *sim.Conn, r etcd.Request, timeout time.Duration) (*etcd.Response, error) {
	answer, err := conn.Call(ctx, cmp.Or(env.Op(ctx), operation(r)), &wire.Request{Request: r}, timeout)
	if err != nil {
		return nil, err
	}
	reply, ok := answer.(*wire.Reply)
	if !ok {
		return nil, sim.ErrReset // the answer to the second copy of a request
	}
	return reply.Response, reply.Err
}

// mayRepeat reports whether the client repeats a request after an error: a read, or one about leases, if no
// member is connected, or if a member is not available or has closed the connection. It never repeats a
// change of keys: the official client does so only after two messages that its gRPC no longer sends.
func mayRepeat(r etcd.Request, err error) bool {
	switch r.(type) {
	case *etcd.Put, *etcd.Delete, *etcd.Txn, *etcd.Compact:
		return false
	}
	if e, ok := errors.AsType[*etcd.Error](err); ok {
		return e.Unavailable()
	}
	return errors.Is(err, ErrUnavailable) || errors.Is(err, sim.ErrReset) || errors.Is(err, sim.ErrClosed)
}

// Operations lists the operations that the client and the locks name.
func Operations() []string {
	return []string{
		"grant", "queue", "recheck", "revoke", "watch", "event", "range", "put", "delete", "txn", "keepalive", "timetolive", "leases", "compact",
	}
}

// operation names a request whose purpose the lock does not name.
func operation(r etcd.Request) string {
	switch r.(type) {
	case *etcd.Range:
		return "range"
	case *etcd.Put:
		return "put"
	case *etcd.Delete:
		return "delete"
	case *etcd.Txn:
		return "txn"
	case *etcd.Grant:
		return "grant"
	case *etcd.Revoke:
		return "revoke"
	case *etcd.KeepAlive:
		return "keepalive"
	case *etcd.TimeToLive:
		return "timetolive"
	case *etcd.Leases:
		return "leases"
	}
	return "compact"
}
