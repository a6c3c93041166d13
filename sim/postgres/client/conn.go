package client

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/sim"
	"lockquake/sim/resource"
)

// Conn is a pgx connection to a simulated server. A statement ends with its context: then the
// connection is closed, and the server is asked to cancel the statement.
type Conn struct {
	pgx  *pgx.Conn
	net  *netConn
	pool *Pool
	used time.Duration // by the monotonic clock of the node, when it was last returned
}

// connect opens a connection until ctx ends.
func connect(ctx context.Context, p *sim.Process, node string, o Options) (*Conn, error) {
	cfg, err := o.config()
	if err != nil {
		return nil, err
	}
	c := &Conn{}
	var dialErr error
	cfg.DialFunc = func(context.Context, string, string) (net.Conn, error) {
		if !sim.OnTask() || c.net != nil {
			return nil, timeoutError{sim.ErrForeignGoroutine}
		}
		conn, err := p.Dial(ctx, node, 0)
		if err != nil {
			dialErr = err
			return nil, timeoutError{err}
		}
		c.net = &netConn{process: p, node: node, conn: conn, ctx: ctx}
		return c.net, nil
	}
	c.pgx, err = pgx.ConnectConfig(context.WithoutCancel(ctx), cfg)
	switch {
	case dialErr != nil:
		return nil, fmt.Errorf("connect to %s: %w", node, dialErr)
	case c.net != nil && c.net.err != nil:
		return nil, fmt.Errorf("connect to %s: %w", node, c.net.err)
	case err != nil:
		return nil, err
	}
	c.net.ctx = context.Background() // until a statement has another one
	c.net.pid, c.net.secret = c.pgx.PgConn().PID(), c.pgx.PgConn().SecretKey()
	return c, nil
}

type dataKey struct{}

// WithData marks a statement as a request to the protected resource.
func WithData(ctx context.Context, r *resource.Request) context.Context {
	return context.WithValue(ctx, dataKey{}, r)
}

// begin prepares the connection for a statement, and returns the context for pgx.
func (c *Conn) begin(ctx context.Context) (context.Context, error) {
	if err := c.net.process.Admit(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("postgres: %w", ctx.Err())
	}
	c.net.ctx = ctx
	c.net.data, _ = ctx.Value(dataKey{}).(*resource.Request)
	return context.WithoutCancel(ctx), nil
}

// end ends a statement. It returns the error: that of the network if the connection is broken.
func (c *Conn) end(err error) error {
	c.net.ctx, c.net.data = context.Background(), nil
	if err != nil && c.net.err != nil {
		return fmt.Errorf("postgres: %w", c.net.err)
	}
	return err
}

// Exec executes a statement and returns its command tag. An error of the server is a
// *pgconn.PgError; after any other error it is unknown whether the statement took effect.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	plain, err := c.begin(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := c.pgx.Exec(plain, sql, args...)
	return tag, c.end(err)
}

// Query executes a statement that returns rows. The rows have arrived when it returns.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	plain, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := c.pgx.Query(plain, sql, args...)
	return rows, c.end(err)
}

// QueryRow executes a statement that returns at most one row. Scan returns its error, or
// pgx.ErrNoRows.
func (c *Conn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	plain, err := c.begin(ctx)
	if err != nil {
		return row{conn: c, err: err}
	}
	return row{conn: c, row: c.pgx.QueryRow(plain, sql, args...)}
}

// row is a row that reports the errors of the simulated network.
type row struct {
	conn *Conn
	row  pgx.Row
	err  error
}

func (r row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.conn.end(r.row.Scan(into...))
}

// Conn returns the connection as pgx knows it, for a lock that uses pgx itself. A statement must have
// a context that cannot end, because pgx starts a goroutine for any other.
func (c *Conn) Conn() *pgx.Conn { return c.pgx }

// unusable reports whether pgxpool would destroy the connection instead of keeping it. A connection
// that broke while it was not in use looks usable.
func (c *Conn) unusable() bool {
	return c.pgx.IsClosed() || c.pgx.PgConn().IsBusy() || c.pgx.PgConn().TxStatus() != 'I'
}

// Release returns the connection to its pool. The pool closes it if it is broken, or in a
// transaction.
func (c *Conn) Release() { c.pool.put(c) }
