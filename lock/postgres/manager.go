package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"lockquake/lock"
)

// Manager runs work under named locks. Each call has a transaction of its own: it takes advisory
// locks for the transaction, runs the work in it, and commits. A worker that is paused or cut off can
// lose its locks only together with its transaction, so it cannot commit without them.
//
// The zero Manager has no pool. A Manager may be used by several goroutines if its Pool may.
type Manager struct {
	Pool Pool
	// Wait limits how long a call waits for each lock, to the millisecond; 0 for no limit.
	Wait time.Duration
}

// Work runs under the locks of a Manager. The transaction includes the statements that Work executes
// on conn. They take effect if Work returns nil and the commit succeeds. Work must not release conn.
type Work func(ctx context.Context, conn Conn) error

// The statements that take a lock for the transaction.
const (
	takeExclusive = "SELECT pg_advisory_xact_lock($1)"
	takeShared    = "SELECT pg_advisory_xact_lock_shared($1)"
	tryExclusive  = "SELECT pg_try_advisory_xact_lock($1)"
)

// WithLock waits for the lock of a name and runs the work. It returns the error of the work; or
// lock.ErrNotObtained after Wait, lock.ErrLost if the transaction was undone, or lock.ErrUnknown if
// the outcome of the commit is unknown.
func (m *Manager) WithLock(ctx context.Context, name string, work Work) error {
	return m.with(ctx, takeExclusive, []string{name}, work)
}

// TryWithLock is WithLock that does not wait: it returns lock.ErrNotObtained if another call has the
// lock.
func (m *Manager) TryWithLock(ctx context.Context, name string, work Work) error {
	return m.with(ctx, tryExclusive, []string{name}, work)
}

// WithLocks is WithLock with the locks of several names. It takes each lock once, and all calls take
// them in one order, so that two calls never wait for each other.
func (m *Manager) WithLocks(ctx context.Context, names []string, work Work) error {
	return m.with(ctx, takeExclusive, names, work)
}

// WithSharedLock is WithLock for work that only reads. Calls of WithSharedLock have the lock of a name
// at the same time, and no other call has it then.
func (m *Manager) WithSharedLock(ctx context.Context, name string, work Work) error {
	return m.with(ctx, takeShared, []string{name}, work)
}

// with runs work in a transaction that has taken the locks of the names with the statement.
func (m *Manager) with(ctx context.Context, statement string, names []string, work Work) error {
	t := transaction{pool: m.Pool, begin: begin, wait: m.Wait}
	return t.run(ctx, strings.Join(names, ", "), func(ctx context.Context, q Querier) error {
		return takeAll(ctx, q, statement, names)
	}, work)
}

// lockNumbers returns the numbers of the locks of the names, in order and each once. The order is that
// of the numbers, since two names can have the same number.
func lockNumbers(names []string) []int64 {
	var keys []int64
	for _, name := range names {
		keys = append(keys, AdvisoryKey(name))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// takeAll takes the locks of the names with the statement.
func takeAll(ctx context.Context, q Querier, statement string, names []string) error {
	for _, key := range lockNumbers(names) {
		if statement != tryExclusive {
			if _, err := q.Exec(ctx, statement, key); err != nil {
				return err
			}
			continue
		}
		var taken bool
		if err := q.QueryRow(ctx, statement, key).Scan(&taken); err != nil {
			return err
		}
		if !taken {
			return lock.ErrNotObtained
		}
	}
	return nil
}

// managed is the strategy of a Manager. It implements lock.Sharer and lock.MultiLocker.
type managed struct{ manager *Manager }

func newManaged(d lock.Deps) lock.Strategy {
	return managed{&Manager{Pool: PortOf(d).Pool, Wait: d.Params.LockTimeout}}
}

// Do implements lock.Strategy.
func (s managed) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	return s.run(r, body, func(work Work) error { return s.manager.WithLock(ctx, key, work) })
}

// DoShared implements lock.Sharer.
func (s managed) DoShared(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	return s.run(r, body, func(work Work) error { return s.manager.WithSharedLock(ctx, key, work) })
}

// DoAll implements lock.MultiLocker.
func (s managed) DoAll(ctx context.Context, keys []string, r lock.Resource, body lock.Body) error {
	return s.run(r, body, func(work Work) error { return s.manager.WithLocks(ctx, keys, work) })
}

// run runs a body as the work of one call of the Manager.
func (managed) run(r lock.Resource, body lock.Body, call func(Work) error) error {
	return runBody(inside(r), func(ctx context.Context, _ Conn, s lock.Section) error { return body(ctx, s) }, call)
}
