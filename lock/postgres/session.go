package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// sessions decides which session has the advisory lock, and what becomes of it.
type sessions struct {
	// take is the statement that takes the lock. It returns whether the session has the lock.
	take string
	// polls: take does not wait, so the locker asks again.
	polls bool
	// pooled: the session is one of a pooler in transaction mode.
	pooled bool
	// keeps: the connection goes back to its pool with the lock.
	keeps bool
	// nested: the work takes its connections from the same pool.
	nested bool
}

// tryLock takes an advisory lock for the session, and does not wait.
const tryLock = "SELECT pg_try_advisory_lock($1)"

func sessionParts() lock.Choice[sessions] {
	const wait = "SELECT pg_advisory_lock($1)"
	return lock.Choice[sessions]{Name: "session", Doc: "how the session lock is taken, and which session has it", Options: []lock.Option[sessions]{
		{Way: lock.Sound("wait", "`pg_advisory_lock` on a connection that the holder keeps"), Value: sessions{take: wait}},
		{Way: lock.Sound("poll", "`pg_try_advisory_lock` on a connection that the holder keeps, again after the pause of `retry`"), Value: sessions{take: tryLock, polls: true}},
		{Way: lock.Flaw("leak", "`pg_try_advisory_lock` on a connection that goes back to its pool at once, and no unlock: the next one that gets that connection has the lock"), Value: sessions{take: tryLock, polls: true, keeps: true}},
		{Way: lock.Flaw("twice", "a statement that takes the lock twice, and one unlock: the connection goes back to its pool with the lock"), Value: sessions{take: "SELECT pg_advisory_lock($1), pg_advisory_lock($1)"}},
		{Way: lock.Flaw("pooled", "`pg_advisory_lock` through a pooler in transaction mode: lock and unlock can reach two sessions"), Value: sessions{take: wait, pooled: true}},
		{Way: lock.Flaw("nested", "`pg_advisory_lock` on a connection that the holder keeps, while the work waits for another one of the same pool"), Value: sessions{take: wait, nested: true}},
	}}
}

func readerParts() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "readers", Doc: "how a section that only reads locks", Options: []lock.Option[bool]{
		{Way: lock.Sound("exclusive", "as any other section"), Value: false},
		{Way: lock.Sound("shared", "by the shared lock of that name, so that several readers have the lock at the same time"), Value: true},
	}}
}

// sessionLocker takes advisory locks that last until their session unlocks them or ends.
type sessionLocker struct {
	pool     Pool
	wait     time.Duration // the limit of one wait for the lock; 0 for none
	retry    retrying
	sessions sessions
	shared   bool // for reading
}

// newSession makes a strategy with an advisory lock of a session.
func newSession(d lock.Deps) lock.Strategy {
	l := &sessionLocker{pool: PortOf(d).Pool, wait: d.Params.LockTimeout, retry: newRetrying(d), sessions: sessionParts().In(d.Params)}
	if l.sessions.pooled {
		l.pool = PortOf(d).Pooled
	}
	recipe := lock.Recipe{Locker: l, Refused: lock.Refusals().In(d.Params)}
	switch {
	case l.sessions.nested:
		return nested{recipe, l.pool}
	case readerParts().In(d.Params):
		readers := *l
		readers.shared = true
		return lock.SharedRecipe{Recipe: recipe, Readers: &readers}
	}
	return recipe
}

// nested is the flaw: the work needs a second connection of the pool from which the lock has one.
type nested struct {
	lock.Recipe
	pool Pool
}

// Do implements lock.Strategy.
func (n nested) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	if data, ok := r.(lock.Transactional); ok {
		r = data.By(each{n.pool})
	}
	return n.Recipe.Do(ctx, key, r, body)
}

// Acquire implements lock.Locker.
func (l *sessionLocker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	conn, err := l.pool.Acquire(env.WithOp(ctx, "connect"))
	if err != nil {
		return nil, fmt.Errorf("acquire %s: %w", key, reason(ctx, err))
	}
	lease := &sessionLease{locker: l, conn: conn, ctx: ctx, key: key}
	if err := l.take(env.WithOp(ctx, "acquire"), lease); err != nil {
		conn.Release()
		return nil, err
	}
	if l.sessions.keeps {
		conn.Release()
	}
	return lease, nil
}

// take takes the lock on the connection of the lease.
func (l *sessionLocker) take(ctx context.Context, r *sessionLease) error {
	if err := limitWait(ctx, r.conn, l.wait, false); err != nil {
		return notGranted(ctx, r.key, err)
	}
	for n := 1; ; n++ {
		taken, err := l.ask(ctx, r)
		switch {
		case err != nil:
			return notGranted(ctx, r.key, err)
		case taken:
			return nil
		}
		if err := l.retry.wait(ctx, r.key, n); err != nil {
			return err
		}
	}
}

// ask sends the statement that takes the lock, and reports whether the session has it.
func (l *sessionLocker) ask(ctx context.Context, r *sessionLease) (taken bool, err error) {
	statement := l.sessions.take
	if l.shared {
		statement = strings.ReplaceAll(statement, "advisory_lock(", "advisory_lock_shared(")
	}
	if l.sessions.polls {
		err = r.conn.QueryRow(ctx, statement, AdvisoryKey(r.key)).Scan(&taken)
		return taken, err
	}
	_, err = r.conn.Exec(ctx, statement, AdvisoryKey(r.key))
	return err == nil, err
}

// reason returns the error of a request that never reached the server: the cause of ctx if that has
// ended.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// sessionLease is an advisory lock of a session.
type sessionLease struct {
	locker *sessionLocker
	conn   Conn
	ctx    context.Context
	key    string
}

// Context implements lock.Lease. The holder is not told when its session ends.
func (r *sessionLease) Context() context.Context { return r.ctx }

// Check implements lock.Lease.
func (r *sessionLease) Check() error { return nil }

// Token implements lock.Lease.
func (r *sessionLease) Token() int64 { return 0 }

// Release implements lock.Lease.
func (r *sessionLease) Release(ctx context.Context) error {
	if r.locker.sessions.keeps {
		return nil // the flaw: the session in the pool still has the lock
	}
	defer r.conn.Release()
	statement := "SELECT pg_advisory_unlock($1)"
	if r.locker.shared {
		statement = "SELECT pg_advisory_unlock_shared($1)"
	}
	var held bool
	err := r.conn.QueryRow(env.WithOp(ctx, "release"), statement, AdvisoryKey(r.key)).Scan(&held)
	switch {
	case err != nil:
		// The session must not go back to the pool with the lock.
		_ = r.conn.Conn().Close(context.WithoutCancel(ctx))
		return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
	case !held:
		return fmt.Errorf("release %s: %w: the session did not have it", r.key, lock.ErrLost)
	}
	return nil
}
