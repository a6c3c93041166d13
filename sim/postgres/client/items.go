package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/sim/backend"
	"lockquake/sim/resource"
)

// querier executes statements.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Items is the protected resource as a table, with the fencing token of the last request in a
// column. It implements backend.SessionAccess.
type Items struct {
	policy resource.Policy
	pool   *Pool
	reads  *Pool   // for reads that raise no mark
	by     querier // nil: a connection of a pool for each statement
}

// NewItems returns the access to the table items with the connections of a pool. Reads, which may be
// the same pool, is for reads that present no token.
func NewItems(policy resource.Policy, pool, reads *Pool) *Items {
	return &Items{policy: policy, pool: pool, reads: reads}
}

// By implements backend.SessionAccess. It panics if the session cannot execute statements.
func (i *Items) By(session any) backend.Access {
	q, ok := session.(querier)
	if !ok {
		panic(fmt.Sprintf("postgres: a %T executes no statements", session))
	}
	return &Items{policy: i.policy, by: q}
}

// The statements on the table items. A write may be the first one of its item.
const (
	readItem  = `SELECT value, version FROM items WHERE name = $1`
	writeItem = `INSERT INTO items (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2, version = items.version + 1`
	// A read that presents its token raises the mark as a write does.
	readFenced  = `INSERT INTO items (name, value, fence) VALUES ($1, '', $2) ON CONFLICT (name) DO UPDATE SET fence = $2 WHERE items.fence <= $2 RETURNING value, version`
	writeFenced = `INSERT INTO items (name, value, fence) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET value = $2, fence = $3, version = items.version + 1 WHERE items.fence <= $3`
	writeStrict = `INSERT INTO items (name, value, fence) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET value = $2, fence = $3, version = items.version + 1 WHERE items.fence < $3`
	// A conditional write changes no row if its condition does not hold.
	insertItem     = `INSERT INTO items (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING version`
	writeIfVersion = `UPDATE items SET value = $2, version = version + 1 WHERE name = $1 AND version = $3 RETURNING version`
	writeIfValue   = `UPDATE items SET value = $2, version = version + 1 WHERE name = $1 AND value = $3 RETURNING version`
)

// Ask implements backend.Access.
func (i *Items) Ask(ctx context.Context, r *resource.Request) (resource.Reply, error) {
	if env.Op(ctx) == "" {
		ctx = env.WithOp(ctx, r.Op())
	}
	if !r.Peek {
		ctx = WithData(ctx, r)
	}
	q := i.by
	if q == nil {
		pool := i.pool
		if !r.Write && (i.policy != resource.ReadsWrites || r.Peek) {
			pool = i.reads
		}
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return resource.Reply{}, fmt.Errorf("%s %s: %w", r.Op(), r.Item, err)
		}
		defer conn.Release()
		q = conn
	}
	reply, done, err := i.execute(ctx, q, r)
	switch {
	case err != nil && failed(q):
		return resource.Reply{}, fmt.Errorf("%s %s: %w: %w", r.Op(), r.Item, lock.ErrLost, err)
	case err != nil:
		return resource.Reply{}, fmt.Errorf("%s %s: %w: %w", r.Op(), r.Item, lock.ErrUnknown, err)
	case !done && r.If != nil:
		return resource.Reply{}, fmt.Errorf("%s %s: %w", r.Op(), r.Item, lock.ErrConflict)
	case !done:
		return resource.Reply{}, fmt.Errorf("%s %s with token %d: %w", r.Op(), r.Item, r.Token, lock.ErrRefused)
	}
	return reply, nil
}

// failed reports whether a statement has failed in a transaction: the server has rolled it back, and
// has released its locks.
func failed(q querier) bool {
	c, ok := q.(interface{ Conn() *pgx.Conn })
	return ok && c.Conn().PgConn().TxStatus() == 'E'
}

// execute executes the statement of a request. It reports whether the token was accepted and the
// condition held.
func (i *Items) execute(ctx context.Context, q querier, r *resource.Request) (reply resource.Reply, done bool, err error) {
	if !r.Write {
		row, ok := pgx.Row(nil), i.policy != resource.ReadsWrites || r.Peek
		if ok {
			row = q.QueryRow(ctx, readItem, r.Item)
		} else {
			row = q.QueryRow(ctx, readFenced, r.Item, r.Token)
		}
		err = row.Scan(&reply.Value, &reply.Version)
		if errors.Is(err, pgx.ErrNoRows) {
			return resource.Reply{}, ok, nil
		}
		return reply, err == nil, err
	}
	if c := r.If; c != nil {
		var row pgx.Row
		switch {
		case c.ByValue:
			row = q.QueryRow(ctx, writeIfValue, r.Item, r.Value, c.Value)
		case c.Version == 0:
			row = q.QueryRow(ctx, insertItem, r.Item, r.Value)
		default:
			row = q.QueryRow(ctx, writeIfVersion, r.Item, r.Value, c.Version)
		}
		err = row.Scan(&reply.Version)
		if errors.Is(err, pgx.ErrNoRows) {
			return resource.Reply{}, false, nil
		}
		return reply, err == nil, err
	}
	var tag pgconn.CommandTag
	switch i.policy {
	case resource.Writes, resource.ReadsWrites:
		tag, err = q.Exec(ctx, writeFenced, r.Item, r.Value, r.Token)
	case resource.Strict:
		tag, err = q.Exec(ctx, writeStrict, r.Item, r.Value, r.Token)
	default:
		tag, err = q.Exec(ctx, writeItem, r.Item, r.Value)
	}
	return resource.Reply{}, err == nil && tag.RowsAffected() > 0, err
}
