package client

import (
	"context"
	"time"

	"lockquake/lock/env"
	"lockquake/sim"
)

// Pool keeps connections as pgxpool does: it takes the idle connection that was used last, and
// opens one if none is idle. If all are in use, a caller waits for its turn, without a timeout of
// its own. A connection that was idle for a second is pinged before it is used.
type Pool struct {
	process *sim.Process
	resolve func() string
	options Options
	env     env.Env
	turns   env.Sem
	idle    []*Conn
}

// NewPool returns a pool for the workers of a process. Its connections go to the server on the node
// that resolve returns.
func NewPool(p *sim.Process, resolve func() string, o Options) *Pool {
	o = o.WithDefaults()
	worker := p.Worker(p.Name() + " postgres pool")
	return &Pool{process: p, resolve: resolve, options: o, env: worker, turns: worker.NewSem(o.Size)}
}

// pingAfter is the idle time after which pgxpool pings a connection.
const pingAfter = time.Second

// Acquire returns a connection. It waits for one until ctx ends. The caller has to release it.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	if err := p.process.Admit(); err != nil {
		return nil, err
	}
	if err := p.turns.Acquire(ctx); err != nil {
		return nil, err
	}
	for n := len(p.idle); n > 0; n = len(p.idle) {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		switch {
		case c.unusable():
			c.close()
		case p.env.Mono()-c.used >= pingAfter && !c.ping(ctx):
			c.close()
		default:
			return c, nil
		}
	}
	c, err := connect(ctx, p.process, p.resolve(), p.options)
	if err != nil {
		p.turns.Release()
		return nil, err
	}
	c.pool = p
	return c, nil
}

// ping reports whether the connection still works.
func (c *Conn) ping(ctx context.Context) bool {
	plain, err := c.begin(env.WithOp(ctx, "ping"))
	return err == nil && c.failure(c.pgx.Ping(plain)) == nil
}

func (p *Pool) put(c *Conn) {
	if c.unusable() {
		c.close()
	} else {
		c.used = p.env.Mono()
		p.idle = append(p.idle, c)
	}
	p.turns.Release()
}
