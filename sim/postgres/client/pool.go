package client

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5"

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

// Config returns a configuration of pgx for callers that open connections themselves, such as a pool of
// their own. It has the options of the pool. Only a task of the world may use its connections, which
// serve one statement at a time.
func (p *Pool) Config() (*pgx.ConnConfig, error) {
	cfg, err := p.options.config()
	if err != nil {
		return nil, err
	}
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		node := p.resolve()
		conn, err := p.process.Dial(ctx, node, p.options.ConnectTimeout)
		if err != nil {
			return nil, err
		}
		return &netConn{process: p.process, node: node, conn: conn, ctx: context.Background()}, nil
	}
	return cfg, nil
}

// pgxpool pings a connection that was idle for longer than pingAfter. A ping whose caller has given
// up may take until pingTimeout.
const (
	pingAfter   = time.Second
	pingTimeout = time.Minute
)

// Acquire returns a connection. It waits for one until ctx ends. The caller has to release it.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	if err := p.process.Admit(); err != nil {
		return nil, err
	}
	for {
		if err := p.turns.Acquire(ctx); err != nil {
			return nil, err
		}
		n := len(p.idle)
		if n == 0 {
			return p.open(ctx)
		}
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if p.env.Mono()-c.used <= pingAfter {
			return c, nil
		}
		works, err := p.ping(ctx, c)
		switch {
		case err != nil:
			return nil, err
		case works:
			return c, nil
		}
		p.destroy(c)
	}
}

// open opens a connection. If ctx ends meanwhile, the connection will be idle once it is open.
func (p *Pool) open(ctx context.Context) (c *Conn, err error) {
	created := p.env.Mono()
	left := p.detach(ctx, "connect", func() {
		limited, cancel := p.env.WithTimeout(context.WithoutCancel(ctx), p.options.ConnectTimeout)
		defer cancel()
		if c, err = connect(limited, p.process, p.resolve(), p.options); err != nil {
			p.turns.Release()
			return
		}
		c.pool = p
	}, func() {
		if c != nil {
			p.keep(c, created)
		}
	})
	if left != nil {
		return nil, left
	}
	return c, err
}

// ping reports whether a connection still works. If ctx ends meanwhile, it returns the reason, and
// the connection goes back to the pool after the ping. A ping ends at the deadline of ctx.
func (p *Pool) ping(ctx context.Context, c *Conn) (works bool, err error) {
	limited, cancel := env.WithOp(ctx, "ping"), func() {}
	if ctx.Done() != nil {
		limited, cancel = p.env.WithTimeout(context.WithoutCancel(limited), pingTimeout)
	}
	err = p.detach(ctx, "ping", func() {
		plain, err := c.begin(limited)
		works = err == nil && c.end(c.pgx.Ping(plain)) == nil
		cancel()
	}, func() { p.put(c) })
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		cancel()
	}
	return works, err
}

// detach runs do, in a task of its own if ctx can end. If ctx ends first, detach returns the reason,
// and abandoned is called after do.
func (p *Pool) detach(ctx context.Context, name string, do, abandoned func()) error {
	if ctx.Done() == nil {
		do()
		return nil
	}
	done, left := p.env.NewSem(0), false
	p.process.Node().World().Go(name, func() {
		do()
		if left {
			abandoned()
			return
		}
		done.Release()
	})
	err := done.Acquire(ctx)
	switch {
	case err == nil:
	case done.TryAcquire(): // both ended at the same time
		abandoned()
	default:
		left = true
	}
	return err
}

// put takes a connection back.
func (p *Pool) put(c *Conn) {
	if c.unusable() {
		p.destroy(c)
		return
	}
	p.keep(c, p.env.Mono())
}

// keep makes a connection idle.
func (p *Pool) keep(c *Conn, used time.Duration) {
	c.used = used
	p.idle = append(p.idle, c)
	p.turns.Release()
}

// destroy closes a connection. Its turn ends when it is closed.
func (p *Pool) destroy(c *Conn) { c.net.close(p.turns.Release) }
