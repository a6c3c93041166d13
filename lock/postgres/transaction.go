package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"lockquake/lock"
	"lockquake/lock/env"
)

// transactions decides how the transaction that has the lock is made, and where the work runs.
type transactions struct {
	begin string // "": there is no transaction
	// beside: the work uses other connections.
	beside bool
}

// begin begins a transaction whose statements see what was committed before each of them.
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

func transactionParts() lock.Choice[transactions] {
	return lock.Choice[transactions]{Name: "transaction", Doc: "the transaction that has the lock, and where the work runs", Options: []lock.Option[transactions]{
		{Way: lock.Sound("read-committed", "lock and work in one transaction; the work sees what was committed before the grant"), Value: transactions{begin: begin}},
		{Way: lock.Flaw("snapshot", "lock and work in one repeatable-read transaction, whose snapshot is taken before the wait: the work reads values that the last holder has replaced"), Value: transactions{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ"}},
		{Way: lock.Flaw("none", "no transaction: the lock is released when its statement ends"), Value: transactions{}},
		{Way: lock.Flaw("beside", "the work uses other connections, and does not notice when the transaction ends"), Value: transactions{begin: begin, beside: true}},
	}}
}

// inTransaction runs a section in a transaction. It implements lock.Strategy.
type inTransaction struct {
	transaction
	beside bool
	// take takes the lock. Finish is called after the work is done, before the commit; it may be
	// nil.
	take, finish func(ctx context.Context, q Querier, key string) error
}

func newInTransaction(take, finish func(ctx context.Context, q Querier, key string) error) func(lock.Deps) lock.Strategy {
	return func(d lock.Deps) lock.Strategy {
		how := transactionParts().In(d.Params)
		return &inTransaction{transaction{PortOf(d).Pool, how.begin, d.Params.LockTimeout}, how.beside, take, finish}
	}
}

// takeAdvisory takes the advisory lock of a key for the transaction.
func takeAdvisory(ctx context.Context, q Querier, key string) error {
	_, err := q.Exec(ctx, takeExclusive, AdvisoryKey(key))
	return err
}

// takeRow locks the row of a key for the transaction. The first one that wants it inserts the row.
func takeRow(ctx context.Context, q Querier, key string) error {
	for {
		var name string
		err := q.QueryRow(ctx, "SELECT name FROM locks WHERE name = $1 FOR UPDATE", key).Scan(&name)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err := q.Exec(ctx, "INSERT INTO locks (name) VALUES ($1) ON CONFLICT DO NOTHING", key); err != nil {
			return err
		}
	}
}

// Do implements lock.Strategy.
func (t *inTransaction) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	by := inside(r)
	switch data, ok := r.(lock.Transactional); {
	case t.beside:
		by = func(Conn) (lock.Resource, func(error)) { return r, func(error) {} }
	case ok && t.begin == "":
		by = func(conn Conn) (lock.Resource, func(error)) { return data.By(conn), func(error) {} }
	}
	take := func(ctx context.Context, q Querier) error { return t.take(ctx, q, key) }
	return runBody(by, func(ctx context.Context, conn Conn, s lock.Section) error {
		if err := body(ctx, s); err != nil || t.finish == nil {
			return err
		}
		if err := t.finish(env.WithOp(context.WithoutCancel(ctx), "release"), conn, key); err != nil {
			return fmt.Errorf("release %s: %w: the transaction has failed, and its work is undone: %w", key, lock.ErrLost, err)
		}
		return nil
	}, func(work Work) error { return t.run(ctx, key, take, work) })
}

// access returns the resource as the work on a connection accesses it, and a function that is told the
// outcome of the transaction; see lock.Transactional.
type access func(Conn) (r lock.Resource, ended func(error))

// inside returns the access in the transaction of the connection, if the data is in its database.
func inside(r lock.Resource) access {
	return func(conn Conn) (lock.Resource, func(error)) {
		if data, ok := r.(lock.Transactional); ok {
			return data.In(conn)
		}
		return r, func(error) {}
	}
}

// errUndone is the outcome of a transaction without a COMMIT: nothing takes effect, whatever became of
// the ROLLBACK, and of the statement that failed.
var errUndone = errors.New("the transaction was rolled back")

// runBody runs a body as the work of a transaction, and tells the resource how that has ended.
func runBody(a access, body func(context.Context, Conn, lock.Section) error, run func(Work) error) error {
	var workErr error
	ended := func(error) {}
	err := run(func(ctx context.Context, conn Conn) error {
		var r lock.Resource
		r, ended = a(conn)
		workErr = body(ctx, conn, lock.Held(ctx, r))
		return workErr
	})
	if workErr != nil {
		ended(errUndone)
	} else {
		ended(err)
	}
	return err
}

// transaction runs work under locks that end with it.
type transaction struct {
	pool  Pool
	begin string        // "": there is no transaction
	wait  time.Duration // the limit of each wait for a lock; 0 for none
}

// run takes locks, runs the work, and commits; or rolls back if the work fails.
func (t transaction) run(ctx context.Context, key string, take func(context.Context, Querier) error, work Work) error {
	conn, err := t.pool.Acquire(env.WithOp(ctx, "connect"))
	if err != nil {
		return fmt.Errorf("acquire %s: %w", key, reason(ctx, err))
	}
	defer conn.Release()
	asking := env.WithOp(ctx, "acquire")
	if t.begin != "" {
		if _, err := conn.Exec(asking, t.begin); err != nil {
			return notGranted(ctx, key, err)
		}
	}
	err = limitWait(asking, conn, t.wait, true)
	if err == nil {
		err = take(asking, conn)
	}
	if err != nil {
		_ = t.end(ctx, conn, key, "ROLLBACK") // the error of the lock is the one that counts
		return notGranted(ctx, key, err)
	}
	how := "COMMIT"
	workErr := work(ctx, conn)
	if workErr != nil {
		how = "ROLLBACK"
	}
	return lock.Join(workErr, t.end(ctx, conn, key, how))
}

// end ends the transaction, if there is one, by COMMIT or ROLLBACK. It does so even if the context of
// the caller has ended.
func (t transaction) end(ctx context.Context, conn Conn, key, how string) error {
	if t.begin == "" {
		return nil
	}
	tag, err := conn.Exec(env.WithOp(context.WithoutCancel(ctx), "release"), how)
	switch {
	case err != nil && code(err) != "":
		return fmt.Errorf("release %s: %w: %w", key, lock.ErrLost, err)
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", key, lock.ErrUnknown, err)
	case tag.String() != how:
		return fmt.Errorf("release %s: %w: the transaction had failed, and its work is undone", key, lock.ErrLost)
	}
	return nil
}
