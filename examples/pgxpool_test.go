package locks

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"lockquake/lock/locktest"
)

// poolJobs is jobs on pgxpool.
type poolJobs struct{ pool *pgxpool.Pool }

// exclusively runs f while it holds the advisory lock of the name, in a session of the pool.
func (j poolJobs) exclusively(ctx context.Context, name string, f func(ctx context.Context) error) (err error) {
	conn, err := j.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	key := keyOf(name)
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", key); err != nil {
		return err
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", key)
		err = errors.Join(err, unlockErr)
	}()
	return f(ctx)
}

func newPoolJobs(d locktest.Deps) func(context.Context, string, locktest.Work) error {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		panic(err)
	}
	config.ConnConfig, config.MaxConns = d.Postgres, 4 // by default it is the number of processors
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		panic(err)
	}
	d.AtEnd(pool.Close)
	service := poolJobs{pool}
	return func(ctx context.Context, key string, work locktest.Work) error {
		return service.exclusively(ctx, key, func(ctx context.Context) error { return work(ctx, 0) })
	}
}

// A session that is killed gives its lock to the next one, as on database/sql.
func TestAdvisoryLocksOfAKilledSessionOfPgxpool(t *testing.T) {
	locktest.Do(t, "backend-killed", newPoolJobs, locktest.Seeds(10), locktest.Violates("exclusion"))
}
