package locks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/scenarios/results"
)

// endless is a source of migrations without an end. All have the same text.
type endless struct {
	source.Driver
	text string
}

// First implements source.Driver.
func (endless) First() (uint, error) { return 1, nil }

// Next implements source.Driver.
func (endless) Next(version uint) (uint, error) { return version + 1, nil }

// ReadUp implements source.Driver.
func (e endless) ReadUp(version uint) (io.ReadCloser, string, error) {
	return io.NopCloser(strings.NewReader(e.text)), fmt.Sprint(version), nil
}

// migrating is a database driver of golang-migrate. A migration is the work of a service, and then its statement.
type migrating struct {
	database.Driver
	work func() error
}

// Run implements database.Driver.
func (m *migrating) Run(statement io.Reader) error {
	if err := m.work(); err != nil {
		return err
	}
	return m.Driver.Run(statement)
}

// newMigrations makes a service that migrates by one step at a time. It waits for the lock until the timeout.
func newMigrations(statement string, timeout time.Duration) func(locktest.Deps) func(context.Context, string, locktest.Work) error {
	return func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
		if _, err := d.DB.Exec("create table if not exists parts (id bigint primary key)"); err != nil {
			panic(err)
		}
		pgx, err := migratepgx.WithInstance(d.DB, &migratepgx.Config{})
		if err != nil {
			panic(err)
		}
		driver := &migrating{Driver: pgx}
		m, err := migrate.NewWithInstance("endless", endless{text: statement}, "postgres", driver)
		if err != nil {
			panic(err)
		}
		m.LockTimeout = timeout
		return func(ctx context.Context, _ string, work locktest.Work) error {
			driver.work = func() error { return work(ctx, 0) }
			err := m.Steps(1)
			if errors.Is(err, migrate.ErrLockTimeout) {
				return errors.Join(lock.ErrNotObtained, err)
			}
			return err
		}
	}
}

// migrateBesideALongMigration runs a scenario in which worker-2 waits for worker-1, with a timeout that counts for both. It returns the
// share of their four migrations that were done.
func migrateBesideALongMigration(t *testing.T, timeout time.Duration) (done float64) {
	t.Helper()
	locktest.Do(t, "testdata/long-migration.yaml", newMigrations("", timeout), locktest.Results(func(c *results.Campaign) {
		m := c.Strategies[0].Metrics
		done = float64(m.Finished) / float64(m.Jobs)
	}))
	return done
}

// After the timeout the statement that waits for the lock goes on. It gets the lock after the first migration, and nothing releases it.
func TestMigrateTakesTheLockAfterItsTimeout(t *testing.T) {
	if done := migrateBesideALongMigration(t, time.Second); done != 0.25 {
		t.Errorf("%.0f %% of the migrations were done, and not only the first of four", 100*done)
	}
}

func TestMigrateWithALongTimeout(t *testing.T) {
	if done := migrateBesideALongMigration(t, time.Minute); done != 1 {
		t.Errorf("%.0f %% of the migrations were done", 100*done)
	}
}

// deadlocksOfIndexes runs migrations that build an index, and returns how many of them PostgreSQL has ended because of a deadlock.
func deadlocksOfIndexes(t *testing.T, statement string) (deadlocks int) {
	t.Helper()
	locktest.Do(t, "testdata/long-migration.yaml", func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
		migrate := newMigrations(statement, time.Minute)(d)
		return func(ctx context.Context, key string, work locktest.Work) error {
			err := migrate(ctx, key, work)
			if err != nil && strings.Contains(err.Error(), "deadlock detected") {
				deadlocks++
			}
			return err
		}
	}, locktest.OneProcess(), locktest.Results(func(*results.Campaign) {}))
	return deadlocks
}

// CREATE INDEX CONCURRENTLY waits for all statements that have begun before, and one of them waits for the lock of the migration.
func TestMigrateBuildsAnIndexConcurrently(t *testing.T) {
	if deadlocksOfIndexes(t, "create index concurrently if not exists i on parts (id)") == 0 {
		t.Error("no deadlock")
	}
}

func TestMigrateBuildsAnIndex(t *testing.T) {
	if n := deadlocksOfIndexes(t, "create index if not exists i on parts (id)"); n > 0 {
		t.Errorf("%d deadlocks", n)
	}
}
