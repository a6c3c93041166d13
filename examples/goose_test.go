package locks

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	goose "github.com/pressly/goose/v3/lock"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// gooseLease is an advisory lock that the session locker of goose has taken on a connection.
type gooseLease struct {
	locker goose.SessionLocker
	conn   *sql.Conn
}

// Unlock releases the lock, and gives the connection back.
func (l gooseLease) Unlock(ctx context.Context) error {
	return errors.Join(l.locker.SessionUnlock(ctx, l.conn), l.conn.Close())
}

// lockGoose acquires the lock. It closes the connection if it does not get the lock.
func lockGoose(ctx context.Context, db *sql.DB, locker goose.SessionLocker) (gooseLease, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return gooseLease{}, err
	}
	if err := locker.SessionLock(ctx, conn); err != nil {
		return gooseLease{}, errors.Join(lock.ErrNotObtained, err, conn.Close())
	}
	return gooseLease{locker, conn}, nil
}

// newGooseLocker makes a session locker that tries once a second. By its documentation it gives up after that many seconds.
func newGooseLocker(seconds uint64) goose.SessionLocker {
	locker, err := goose.NewPostgresSessionLocker(goose.WithLockTimeout(1, seconds))
	if err != nil {
		panic(err)
	}
	return locker
}

// waitForGoose runs two workers that wait 3.5 s at most for each other, with lockers that wait for 6 s. It returns how long the calls took that
// did not get the lock.
func waitForGoose(t *testing.T, oneLocker bool) (took []time.Duration) {
	t.Helper()
	locktest.Run(t, "testdata/advisory-turns.yaml", func(d locktest.Deps) lock.Locker {
		locker := newGooseLocker(6)
		return locktest.Locker(func(ctx context.Context, _ string) (locktest.Lease, error) {
			if !oneLocker {
				locker = newGooseLocker(6)
			}
			began := time.Now()
			lease, err := lockGoose(ctx, d.DB, locker)
			if errors.Is(err, lock.ErrNotObtained) && ctx.Err() == nil {
				took = append(took, time.Since(began))
			}
			return lease, err
		})
	}, locktest.OneProcess(), locktest.Holds("lost-update", "exclusion"))
	return took
}

// The retries of a session locker are counted over all its calls. A locker that has used them up gives up at its first refusal, long before its
// timeout.
func TestGooseSessionLockerUsesUpItsRetries(t *testing.T) {
	within(t, waitForGoose(t, true), 0, 4*time.Second)
}

func TestGooseSessionLockerForEachCall(t *testing.T) {
	if took := waitForGoose(t, false); len(took) > 0 {
		t.Errorf("calls gave up after %v", took)
	}
}

// A session that is killed gives its lock to the next one while the first still works.
func TestGooseSessionLockerOfAKilledSession(t *testing.T) {
	locktest.Run(t, "backend-killed", func(d locktest.Deps) lock.Locker {
		return locktest.Locker(func(ctx context.Context, _ string) (locktest.Lease, error) {
			return lockGoose(ctx, d.DB, newGooseLocker(60))
		})
	}, locktest.Seeds(5), locktest.Violates("exclusion"))
}
