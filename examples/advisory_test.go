package locks

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"
	"testing"

	"lockquake/lock/locktest"
)

// jobs is a service that runs each job under an advisory lock of PostgreSQL, on database/sql.
type jobs struct{ db *sql.DB }

// exclusively runs f while it holds the advisory lock of the name, in a session of its own.
func (j jobs) exclusively(ctx context.Context, name string, f func(ctx context.Context) error) (err error) {
	conn, err := j.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	key := keyOf(name)
	if _, err := conn.ExecContext(ctx, "select pg_advisory_lock($1)", key); err != nil {
		return err
	}
	defer func() {
		_, unlockErr := conn.ExecContext(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", key)
		err = errors.Join(err, unlockErr)
	}()
	return f(ctx)
}

// keyOf returns the number that an advisory lock has in place of a name.
func keyOf(name string) int64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int64(h.Sum32())
}

func newJobs(d locktest.Deps) func(context.Context, string, locktest.Work) error {
	service := jobs{d.DB}
	return func(ctx context.Context, key string, work locktest.Work) error {
		return service.exclusively(ctx, key, func(ctx context.Context) error { return work(ctx, 0) })
	}
}

// A session that is killed gives its lock to the next one while the first still works.
func TestAdvisoryLocksOfAKilledSession(t *testing.T) {
	locktest.Do(t, "backend-killed", newJobs, locktest.Seeds(10), locktest.Violates("exclusion"))
}

// A pause ends no session, so it gives no advisory lock to others. gc-pause is written for Redis, and runs with a lock of
// PostgreSQL in place of its own.
func TestAdvisoryLocksUnderRandomPauses(t *testing.T) {
	locktest.Do(t, "gc-pause", newJobs, locktest.Seeds(2), locktest.Holds("lost-update", "exclusion"),
		locktest.Set("strategies", "[pg-advisory-session]"), locktest.Set("expect", "{}"))
}
