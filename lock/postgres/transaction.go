package postgres

import (
	"context"
	"errors"
	"fmt"

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
		{Way: lock.Flaw("snapshot", "lock and work in one repeatable-read transaction, whose snapshot is taken before the wait: the work sees what the last holder has replaced"), Value: transactions{begin: "BEGIN ISOLATION LEVEL REPEATABLE READ"}},
		{Way: lock.Flaw("none", "no transaction: the lock is released as its statement ends"), Value: transactions{}},
		{Way: lock.Flaw("beside", "the work uses other connections, and does not notice when the transaction ends"), Value: transactions{begin: begin, beside: true}},
	}}
}

// inTransaction runs a section in a transaction. It implements lock.Strategy.
type inTransaction struct {
	env    env.Env
	pool   Pool
	params lock.Params
	how    transactions
	// take takes the lock. Finish is called after the work is done, before the commit; it may be
	// nil.
	take, finish step
}

// step executes statements of the transaction.
type step func(ctx context.Context, q Querier, key string) error

func newInTransaction(take, finish step) func(lock.Deps) lock.Strategy {
	return func(d lock.Deps) lock.Strategy {
		return &inTransaction{env: d.Env, pool: PortOf(d).Pool, params: d.Params, how: transactionParts().In(d.Params), take: take, finish: finish}
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
	conn, err := t.pool.Acquire(env.WithOp(ctx, "connect"))
	if err != nil {
		return fmt.Errorf("acquire %s: %w", key, reason(ctx, err))
	}
	defer conn.Release()
	asking := env.WithOp(ctx, "acquire")
	if t.how.begin != "" {
		if _, err := conn.Exec(asking, t.how.begin); err != nil {
			return notGranted(ctx, key, err)
		}
	}
	err = limitWait(asking, conn, t.params.LockTimeout, true)
	if err == nil {
		err = t.take(asking, conn, key)
	}
	if err != nil {
		_ = t.end(ctx, conn, key, "ROLLBACK") // the error of the lock is the one that counts
		return notGranted(ctx, key, err)
	}
	return t.run(ctx, conn, key, r, body)
}

// errUndone is the outcome of a transaction without a COMMIT: nothing takes effect, whatever became of
// the ROLLBACK, and of the statement that failed.
var errUndone = errors.New("the transaction was rolled back")

// run runs the work under the lock, and ends the transaction.
func (t *inTransaction) run(ctx context.Context, conn Conn, key string, r lock.Resource, body lock.Body) error {
	ended := func(error) {}
	data, inside := r.(lock.Transactional)
	switch {
	case !inside || t.how.beside:
	case t.how.begin == "":
		r = data.By(conn)
	default:
		r, ended = data.In(conn)
	}
	bodyErr := body(ctx, lock.Held(ctx, r))
	if bodyErr == nil && t.finish != nil {
		if err := t.finish(env.WithOp(context.WithoutCancel(ctx), "release"), conn, key); err != nil {
			bodyErr = fmt.Errorf("release %s: %w: the transaction has failed, and its work is undone: %w", key, lock.ErrLost, err)
		}
	}
	how := "COMMIT"
	if bodyErr != nil {
		how = "ROLLBACK"
	}
	err := t.end(ctx, conn, key, how)
	if bodyErr != nil {
		ended(errUndone)
	} else {
		ended(err)
	}
	return lock.Join(bodyErr, err)
}

// end ends the transaction, if there is one.
func (t *inTransaction) end(ctx context.Context, conn Conn, key, how string) error {
	if t.how.begin == "" {
		return nil
	}
	return endTransaction(ctx, conn, key, how)
}

// endTransaction ends a transaction by COMMIT or ROLLBACK, even if the context of the caller has ended.
func endTransaction(ctx context.Context, conn Conn, key, how string) error {
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
