package client

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockquake/lock/env"
	"lockquake/sim"
)

// ErrUnavailable is the error of a client that is connected to no member. The request was not sent.
var ErrUnavailable = errors.New("etcd: there is no connection available")

// balancer keeps a connection to each member, and chooses one in turn.
type balancer struct {
	process *sim.Process
	worker  *sim.Worker // its tasks connect
	options Options
	members []*endpoint
	next    int
	waiting []env.Sem // requests that wait for a connection
}

// endpoint is a member as the client sees it.
type endpoint struct {
	node    string
	conn    *sim.Conn // nil: none
	dialing bool
	again   time.Duration // when to try again, on the monotonic clock
}

func newBalancer(p *sim.Process, nodes []string, o Options) *balancer {
	b := &balancer{process: p, options: o}
	for _, node := range nodes {
		b.members = append(b.members, &endpoint{node: node})
	}
	return b
}

// pick returns the next member with a connection. It waits for one while it connects.
func (b *balancer) pick(ctx context.Context) (*endpoint, error) {
	if err := b.process.Admit(); err != nil {
		return nil, err
	}
	if b.worker == nil {
		b.worker = b.process.Worker(b.process.Name() + " etcd client")
		b.next = int(b.worker.Rand("balancer").Int64N(int64(len(b.members))))
	}
	for {
		for _, e := range b.members {
			b.connect(e)
		}
		for range b.members {
			e := b.members[b.next]
			b.next = (b.next + 1) % len(b.members)
			if e.conn != nil {
				return e, nil
			}
		}
		if !slices.ContainsFunc(b.members, func(e *endpoint) bool { return e.dialing }) {
			return nil, ErrUnavailable
		}
		changed := b.worker.NewSem(0)
		b.waiting = append(b.waiting, changed)
		if err := changed.Acquire(ctx); err != nil {
			return nil, err
		}
	}
}

// connect begins to connect to a member in the background, unless it is connected or was tried just
// now.
func (b *balancer) connect(e *endpoint) {
	if e.conn != nil && e.conn.Err() != nil {
		e.conn = nil
	}
	if e.conn != nil || e.dialing || b.worker.Mono() < e.again {
		return
	}
	e.dialing = true
	b.worker.Go("connect", func() {
		conn, err := b.process.Dial(context.Background(), e.node, b.options.DialTimeout)
		e.dialing = false
		if err == nil {
			e.conn = conn
		} else {
			e.again = b.worker.Mono() + redialPause
		}
		waiting := b.waiting
		b.waiting = nil
		for _, changed := range waiting {
			changed.Release()
		}
	})
}

// broken closes the connection to a member that does not answer.
func (e *endpoint) broken(conn *sim.Conn) {
	conn.Close()
	if e.conn == conn {
		e.conn = nil
	}
}
