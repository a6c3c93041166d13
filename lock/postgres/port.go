package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "postgres"

// Querier executes statements: a connection, or a pool that takes a connection for each statement.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Conn is a connection of a pool, with one session at the server. *pgxpool.Conn is a Conn. An error
// of the server is a *pgconn.PgError; after any other error it is unknown whether the statement took
// effect.
type Conn interface {
	Querier
	// Conn returns the connection of pgx.
	Conn() *pgx.Conn
	// Release returns the connection to its pool, which closes it if it is broken or in a
	// transaction.
	Release()
}

// Pool keeps connections. *pgxpool.Pool becomes a Pool by PoolOf(pool.Acquire).
type Pool interface {
	// Acquire returns a connection. It waits for one until ctx ends.
	Acquire(ctx context.Context) (Conn, error)
}

// PoolOf makes a Pool of the Acquire method of a pool, such as that of *pgxpool.Pool.
func PoolOf[C Conn](acquire func(context.Context) (C, error)) Pool { return poolFunc[C](acquire) }

type poolFunc[C Conn] func(context.Context) (C, error)

func (f poolFunc[C]) Acquire(ctx context.Context) (Conn, error) {
	c, err := f(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Port holds the connections to the database, for one worker.
type Port struct {
	// Pool connects to the server itself.
	Pool Pool
	// Pooled connects to a pooler that gives each transaction a session of its own choice.
	Pooled Pool
	// Config returns a configuration of pgx with which a lock opens connections to the server itself. It is
	// nil in production, where a lock has its own.
	Config func() (*pgx.ConnConfig, error)
}

// PortOf returns the connections of a strategy. It panics if Deps have the port of another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs a postgres.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}

// each executes every statement on a connection of its own, which it takes from a pool.
type each struct{ pool Pool }

// Exec implements Querier.
func (e each) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer c.Release()
	return c.Exec(ctx, sql, args...)
}

// QueryRow implements Querier.
func (e each) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	c, err := e.pool.Acquire(ctx)
	return releasingRow{c, err, func() pgx.Row { return c.QueryRow(ctx, sql, args...) }}
}

// releasingRow releases its connection after the row was scanned.
type releasingRow struct {
	conn Conn
	err  error
	row  func() pgx.Row
}

func (r releasingRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.conn.Release()
	return r.row().Scan(into...)
}
