package redis

import (
	"context"
	"fmt"
	"net"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
)

// pool keeps the connections of one client. The one used last is used next;
// one that met an error is closed.
type pool struct {
	worker  *sim.Worker
	node    string
	options ClientOptions
	places  env.Sem // one a connection in use
	idle    []*sim.Conn
}

func newPool(k *sim.Worker, node string, o ClientOptions) *pool {
	return &pool{worker: k, node: node, options: o, places: k.NewSem(o.PoolSize)}
}

// get returns an idle connection, or a new one. It waits if all are in use.
func (p *pool) get(ctx context.Context) (*sim.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.places.TryAcquire() {
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	for n := len(p.idle); n > 0; n = len(p.idle) {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if c.Err() == nil {
			return c, nil
		}
	}
	c, err := p.dial(ctx)
	if err != nil {
		p.places.Release()
	}
	return c, err
}

func (p *pool) wait(ctx context.Context) error {
	bounded, cancel := p.worker.WithTimeout(ctx, p.options.PoolTimeout)
	defer cancel()
	err := p.places.Acquire(bounded)
	if err != nil && ctx.Err() == nil {
		return goredis.ErrPoolTimeout
	}
	return err
}

// dial opens a connection and introduces the client, as go-redis does: a round
// trip for each.
func (p *pool) dial(ctx context.Context) (*sim.Conn, error) {
	c, err := p.worker.Process().Dial(ctx, p.node, p.options.DialTimeout)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	hello := &Command{Args: []string{"hello", "2"}}
	answer, err := c.Call(context.WithoutCancel(ctx), "hello", hello, p.options.ReadTimeout)
	if err != nil {
		c.Close()
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: err}
	}
	if reply, ok := answer.(*Reply); !ok || reply.Kind == Error {
		c.Close()
		return nil, fmt.Errorf("redis: HELLO was answered by %v", answer)
	}
	return c, nil
}

// put gives a connection back after a call that ended with err.
func (p *pool) put(c *sim.Conn, err error) {
	if err != nil {
		c.Close()
	} else {
		p.idle = append(p.idle, c)
	}
	p.places.Release()
}
