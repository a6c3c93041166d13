package postgres

import (
	"context"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// permitLocker takes one of several advisory locks of a session. Each of them is a permit.
type permitLocker struct {
	*sessionLocker
	permits int
}

// newPermits makes a semaphore. It implements lock.Semaphore.
func newPermits(d lock.Deps) lock.Strategy {
	l := &sessionLocker{pool: PortOf(d).Pool, retry: newRetrying(d), sessions: sessions{take: tryLock, polls: true}}
	return lock.PermitRecipe{
		Recipe: lock.Recipe{Refused: lock.Refusals().In(d.Params)},
		Of:     func(permits int) lock.Locker { return permitLocker{l, permits} },
	}
}

// permitKey returns the key of the nth permit of a lock, from 0.
func permitKey(key string, n int) string { return fmt.Sprintf("%s/permit-%d", key, n+1) }

// permitRecords returns the names of the records of all permits that a lock can have.
func permitRecords(key string) []string {
	var names []string
	for n := range lock.MaxPermits {
		names = append(names, advisoryRecord(permitKey(key, n)))
	}
	return names
}

// Acquire implements lock.Locker. It tries the permits in turn, beginning with a random one.
func (l permitLocker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	conn, err := l.pool.Acquire(env.WithOp(ctx, "connect"))
	if err != nil {
		return nil, fmt.Errorf("acquire %s: %w", key, reason(ctx, err))
	}
	lease := &sessionLease{locker: l.sessionLocker, conn: conn, ctx: ctx}
	if err := l.takeAny(env.WithOp(ctx, "acquire"), lease, key); err != nil {
		conn.Release()
		return nil, err
	}
	return lease, nil
}

// takeAny takes a permit on the connection of the lease.
func (l permitLocker) takeAny(ctx context.Context, r *sessionLease, key string) error {
	for attempt := 1; ; attempt++ {
		first := l.retry.random.IntN(l.permits)
		for n := range l.permits {
			r.key = permitKey(key, (first+n)%l.permits)
			taken, err := l.ask(ctx, r)
			switch {
			case err != nil:
				return notGranted(ctx, key, err)
			case taken:
				return nil
			}
		}
		if err := l.retry.wait(ctx, key, attempt); err != nil {
			return err
		}
	}
}
