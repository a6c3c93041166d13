package client

import (
	"bytes"
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/postgres"
	"lockquake/sim/postgres/engine"
)

func TestStatementsReturnTagsRowsAndValues(t *testing.T) {
	r := newRig(t, Options{})
	r.run(nil, func(ctx context.Context) {
		c := r.conn(ctx)
		defer c.Release()
		tag, err := c.Exec(ctx, "INSERT INTO items (name, value) VALUES ($1, $2), ($3, $4)", "a", "1", "b", "2")
		if err != nil || tag.String() != "INSERT 0 2" {
			t.Errorf("INSERT: %s, %v", tag, err)
		}
		rows, err := c.Query(ctx, "SELECT name, version FROM items ORDER BY name")
		if err != nil {
			t.Error(err)
			return
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			Name    string
			Version int64
		}])
		if err != nil || len(list) != 2 || list[1].Name != "b" {
			t.Errorf("SELECT: %v, %v", list, err)
		}
		var value string
		if err := c.QueryRow(ctx, "SELECT value FROM items WHERE name = $1", "b").Scan(&value); err != nil || value != "2" {
			t.Errorf("b is %q, %v", value, err)
		}
		if err := c.QueryRow(ctx, "SELECT value FROM items WHERE name = $1", "c").Scan(&value); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("a row that does not exist: %v", err)
		}
	})
}

func TestAStatementIsPreparedOnceForEachConnection(t *testing.T) {
	for _, test := range []struct {
		mode ExecMode
		want []string
	}{
		{CacheStatement, []string{"4ms open", "8ms SELECT $1::bigint: SELECT 1", "10ms SELECT $1::bigint: SELECT 1", "14ms open", "18ms SELECT $1::bigint: SELECT 1"}},
		{PlainExec, []string{"4ms open", "6ms SELECT $1::bigint: SELECT 1", "8ms SELECT $1::bigint: SELECT 1", "12ms open", "14ms SELECT $1::bigint: SELECT 1"}},
	} {
		t.Run(string(test.mode), func(t *testing.T) {
			r := newRig(t, Options{ExecMode: test.mode})
			r.run(test.want, func(ctx context.Context) {
				one := r.conn(ctx)
				r.note("open")
				r.exec(ctx, one, "SELECT $1::bigint", int64(1))
				r.exec(ctx, one, "SELECT $1::bigint", int64(2))
				two := r.conn(ctx)
				r.note("open")
				r.exec(ctx, two, "SELECT $1::bigint", int64(3))
			})
		})
	}
}

func TestAnErrorOfTheServerHasItsCode(t *testing.T) {
	r := newRig(t, Options{ExecMode: PlainExec})
	r.run([]string{
		"6ms SELEC: ERROR 42601",
		"8ms SELECT 1/0: ERROR 22012",
		"10ms INSERT INTO locks VALUES ('a'): INSERT 0 1",
		"12ms INSERT INTO locks VALUES ('a'): ERROR 23505",
		"14ms SELECT 1: SELECT 1",
	}, func(ctx context.Context) {
		c := r.conn(ctx)
		for _, text := range []string{"SELEC", "SELECT 1/0", "INSERT INTO locks VALUES ('a')", "INSERT INTO locks VALUES ('a')", "SELECT 1"} {
			r.exec(ctx, c, text)
		}
	})
}

// Task 1 shares the lock. Task 2 wants it for itself, and gives up at 20 ms: a dial of 2 ms, and a
// cancel request that arrives at 23 ms. So task 3, which wants to share it and waits behind task 2,
// has it then.
func TestAWaiterWhoseContextEndsLeavesTheQueue(t *testing.T) {
	const share, take = "SELECT pg_advisory_lock_shared(1)", "SELECT pg_advisory_lock(1)"
	r := newRig(t, Options{ExecMode: PlainExec})
	r.run([]string{
		"6ms " + share + ": SELECT 1",
		"20ms " + take + ": timeout",
		"24ms " + share + ": SELECT 1",
	}, func(ctx context.Context) {
		r.exec(ctx, r.conn(ctx), share)
	}, func(ctx context.Context) {
		c := r.conn(ctx)
		r.sleepTo(8 * time.Millisecond)
		limited, cancel := r.worker.WithTimeout(ctx, 12*time.Millisecond)
		defer cancel()
		r.exec(limited, c, take)
	}, func(ctx context.Context) {
		c := r.conn(ctx)
		r.sleepTo(10 * time.Millisecond)
		r.exec(ctx, c, share)
	})
}

// The server ends a connection's session while the connection is idle; the client finds that at its
// next use.
func TestTheEndOfAnIdleTransactionIsFoundAtTheNextUse(t *testing.T) {
	r := newRig(t, Options{ExecMode: PlainExec}, "SET idle_in_transaction_session_timeout = '100ms'")
	r.run([]string{"6ms BEGIN: BEGIN", "1s SELECT 1: FATAL 25P03", "1.006s SELECT 1: SELECT 1"}, func(ctx context.Context) {
		c := r.conn(ctx)
		r.exec(ctx, c, "BEGIN")
		r.sleepTo(time.Second)
		r.exec(ctx, c, "SELECT 1")
		c.Release()
		c = r.conn(ctx)
		r.exec(ctx, c, "SELECT 1")
	})
}

// A lock may use the connection of pgx itself, even after the context of an earlier statement has
// ended.
func TestTheConnectionOfPgxCanBeUsedDirectly(t *testing.T) {
	r := newRig(t, Options{ExecMode: PlainExec})
	r.run([]string{"6ms SELECT 1: SELECT 1", "8ms BEGIN", "10ms INSERT 0 1", "12ms COMMIT", "14ms 1 row"}, func(ctx context.Context) {
		limited, cancel := r.worker.WithTimeout(ctx, time.Second)
		c := r.conn(limited)
		r.exec(limited, c, "SELECT 1")
		cancel()
		tx, err := c.Conn().Begin(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		r.note("BEGIN")
		tag, err := tx.Exec(ctx, "INSERT INTO locks VALUES ($1)", "a")
		r.note("%s", outcome(tag, err))
		if err := tx.Commit(ctx); err != nil {
			t.Error(err)
		}
		r.note("COMMIT")
		var rows int
		err = c.QueryRow(ctx, "SELECT count(*) FROM locks").Scan(&rows)
		if err != nil {
			t.Error(err)
		}
		r.note("%d row", rows)
	})
}

// A connection breaks at a point of the COMMIT. Whether its transaction took effect depends on the
// point alone, and the client learns the same each time.
func TestTheOutcomeOfABrokenCommitIsUnknown(t *testing.T) {
	for _, test := range []struct {
		point string
		rows  int64
	}{
		{"commit.sent", 0},
		{"commit.applied", 1},
		{"commit.replied", 1},
	} {
		for _, cause := range []string{"reset", "crash"} {
			t.Run(cause+" at "+test.point, func(t *testing.T) {
				world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
				defer world.Close()
				c, err := postgres.NewCluster(world, oneServer(), postgres.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				worker := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
				pool := NewPool(worker.Process(), func() string { return "db" }, Options{ExecMode: PlainExec})
				worker.OnPoint(test.point, 1, func() {
					if cause == "reset" {
						worker.Process().ResetConns("db")
						return
					}
					c.Crash([]string{"db"}, "", time.Second)
				})
				worker.Go("main", func() {
					ctx := context.Background()
					one, err := pool.Acquire(ctx)
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = one.Exec(ctx, "BEGIN")
					_, _ = one.Exec(ctx, "INSERT INTO locks VALUES ('a')")
					tag, err := one.Exec(withOp(ctx, "commit"), "COMMIT")
					if got := outcome(tag, err); got != "reset" {
						t.Errorf("COMMIT: %s, want a reset", got)
					}
					one.Release()
					_ = worker.Sleep(ctx, 2*time.Second)
					one, err = pool.Acquire(ctx)
					if err != nil {
						t.Error(err)
						return
					}
					var rows int64
					if err := one.QueryRow(ctx, "SELECT count(*) FROM locks").Scan(&rows); err != nil || rows != test.rows {
						t.Errorf("%d rows, %v, want %d", rows, err, test.rows)
					}
				})
				if err := world.Run(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// A server that crashes in the middle of a statement resets the connection of a session that waits.
func TestACrashEndsTheStatementsThatWait(t *testing.T) {
	world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
	defer world.Close()
	c, err := postgres.NewCluster(world, oneServer(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	world.At(20*time.Millisecond, func() { c.Crash([]string{"db"}, "", time.Second) })
	for _, name := range []string{"worker-1", "worker-2"} {
		worker := world.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
		pool := NewPool(worker.Process(), func() string { return "db" }, Options{ExecMode: PlainExec})
		worker.Go("main", func() {
			ctx := context.Background()
			one, err := pool.Acquire(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			tag, err := one.Exec(ctx, "SELECT pg_advisory_lock(1)")
			got, at := outcome(tag, err), world.Time()
			if name == "worker-1" && (got != "SELECT 1" || at != 6*time.Millisecond) || name == "worker-2" && (got != "reset" || at != 20*time.Millisecond) {
				t.Errorf("%s: %s at %v", name, got, at)
			}
		})
	}
	if err := world.Run(); err != nil {
		t.Fatal(err)
	}
}

// Two sessions wait for each other. The one that has waited for deadlock_timeout finds it.
func TestADeadlockIsAnErrorOfTheServer(t *testing.T) {
	r := newRig(t, Options{ExecMode: PlainExec}, "SET deadlock_timeout = '100ms'")
	half := func(first, second string) func(context.Context) {
		return func(ctx context.Context) {
			c := r.conn(ctx)
			_, _ = c.Exec(ctx, "SELECT pg_advisory_lock("+first+")")
			if first == "2" {
				r.sleepTo(20 * time.Millisecond)
			}
			r.exec(ctx, c, "SELECT pg_advisory_lock("+second+")")
			c.Release() // no transaction, so the session keeps its lock
			c = r.conn(ctx)
			r.exec(ctx, c, "SELECT pg_advisory_unlock("+first+")")
		}
	}
	// Session 1 asks at 7 ms and looks at 107 ms, when session 2 waits too.
	r.run([]string{
		"108ms SELECT pg_advisory_lock(2): ERROR 40P01",
		"110ms SELECT pg_advisory_lock(1): SELECT 1",
		"110ms SELECT pg_advisory_unlock(1): SELECT 1",
		"112ms SELECT pg_advisory_unlock(2): SELECT 1",
	}, half("1", "2"), half("2", "1"))
}

// pgx reads in the background if a write takes long, and closes a broken connection there. The
// connection answers such a goroutine with a timeout, which pgx takes for one that is over, and stays
// as it is.
func TestAGoroutineOfPgxChangesNothing(t *testing.T) {
	r := newRig(t, Options{ExecMode: PlainExec})
	r.run([]string{"6ms SELECT 1: SELECT 1"}, func(ctx context.Context) {
		c := r.conn(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, read := c.net.Read(make([]byte, 1))
			_, written := c.net.Write([]byte("Q"))
			_, dialled := c.pgx.Config().DialFunc(ctx, "tcp", "db")
			_ = c.net.Close()
			for _, err := range []error{read, written, dialled} {
				if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
					t.Errorf("a goroutine of pgx gets %v", err)
				}
			}
		}()
		<-ended
		r.exec(ctx, c, "SELECT 1")
	})
}

// pgx starts goroutines of its own: to close a connection that has failed, and for a context that can
// end. Neither may stay behind, and neither may call the simulation.
func TestNoGoroutineIsLeftAfterManyRuns(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 50 {
		world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
		c, err := postgres.NewCluster(world, oneServer(), postgres.Options{Poolers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"worker-1", "worker-2", "worker-3"} {
			worker := world.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
			pool := NewPool(worker.Process(), func() string { return "db" }, Options{Size: 1})
			worker.Go("main", func() {
				for range 3 {
					ctx, cancel := worker.WithTimeout(context.Background(), 30*time.Millisecond)
					if one, err := pool.Acquire(ctx); err == nil {
						_, _ = one.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(1))
						_ = worker.Sleep(ctx, time.Minute)
						one.Release()
					}
					cancel()
				}
			})
		}
		world.At(40*time.Millisecond, func() { c.Crash([]string{"db"}, "", 20*time.Millisecond) })
		world.At(100*time.Millisecond, world.Stop) // while sessions wait
		if err := world.Run(); err != nil {
			t.Fatal(err)
		}
		c.Close()
		world.Close()
	}
	for range 1_000_000 { // a goroutine of pgx may still be about to end
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines are left:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
}

// A trace is the same each time, to the byte, and names the statements.
func TestATraceOfPacketsIsReadableAndRepeats(t *testing.T) {
	trace := func() string {
		var out bytes.Buffer
		world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond), Trace: &out})
		defer world.Close()
		c, err := postgres.NewCluster(world, oneServer(), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		worker := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
		pool := NewPool(worker.Process(), func() string { return "db" }, Options{})
		worker.Go("main", func() {
			ctx := context.Background()
			one, err := pool.Acquire(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = one.Exec(ctx, "INSERT INTO locks VALUES ($1)", "a")
			_, _ = one.Exec(ctx, "INSERT INTO locks VALUES ($1)", "a")
			rows, _ := one.Query(ctx, "SELECT name, $1::bigint FROM locks", int64(7))
			rows.Close()
		})
		if err := world.Run(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := trace()
	if trace() != first {
		t.Error("two runs differ")
	}
	for _, part := range []string{"startup", "P(INSERT INTO locks VALUES ($1))", "(23505)", "D(a 7 )"} {
		if !strings.Contains(first, part) {
			t.Errorf("the trace does not have %q:\n%s", part, first)
		}
	}
}

// Variables of the environment that pgx reads reach neither the trace nor the server.
func TestTheEnvironmentDoesNotReachTheServer(t *testing.T) {
	t.Setenv("PGAPPNAME", "mine")
	t.Setenv("PGDATABASE", "other")
	t.Setenv("PGOPTIONS", "-c statement_timeout=1")
	t.Setenv("PGCONNECT_TIMEOUT", "1")
	cfg, err := Options{}.WithDefaults().config()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Database != "work" || len(cfg.RuntimeParams) != 0 || cfg.ConnectTimeout != 0 || len(cfg.Fallbacks) != 0 {
		t.Errorf("the configuration is %+v", cfg.Config)
	}
}

// A library that asks for the name of its database gets that of its configuration.
func TestTheClientConnectsToTheDatabaseOfTheServer(t *testing.T) {
	if got := (Options{}).WithDefaults().Database; got != engine.DatabaseName {
		t.Errorf("the client connects to %s, and the database is %s", got, engine.DatabaseName)
	}
}
