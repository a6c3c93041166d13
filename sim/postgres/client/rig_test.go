package client

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/postgres"
)

// rig is a world with a server, and a worker whose process has a pool. A message takes 1 ms and a
// step no time. So a connection is open after 4 ms: a dial and a start-up. A statement takes 4 ms the
// first time, when it is prepared, and 2 ms after that.
type rig struct {
	*sim.World
	t      *testing.T
	worker *sim.Worker
	server *postgres.Server
	pool   *Pool
	log    []string
}

func newRig(t *testing.T, o Options, settings ...string) *rig {
	t.Helper()
	r := &rig{t: t, World: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond), Limit: 10 * time.Hour})}
	t.Cleanup(r.Close)
	var err error
	r.server, err = postgres.New(r.AddNode("db", sim.NodeConfig{}), postgres.Options{Settings: settings, Poolers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.server.Close)
	r.worker = r.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	r.pool = NewPool(r.worker.Process(), func() string { return "db" }, o)
	return r
}

// run runs the bodies, each in a task of the worker, until everything has ended. It compares what
// they noted.
func (r *rig) run(want []string, bodies ...func(ctx context.Context)) {
	r.t.Helper()
	for i, body := range bodies {
		r.worker.Go(fmt.Sprintf("task-%d", i+1), func() { body(context.Background()) })
	}
	if err := r.Run(); err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.log); diff != "" {
		r.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func (r *rig) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%v ", r.Time())+fmt.Sprintf(format, args...))
}

// conn acquires a connection.
func (r *rig) conn(ctx context.Context) *Conn {
	c, err := r.pool.Acquire(ctx)
	if err != nil {
		r.t.Errorf("acquire: %v", err)
	}
	return c
}

// exec executes a statement and notes its result.
func (r *rig) exec(ctx context.Context, c *Conn, sql string, args ...any) {
	tag, err := c.Exec(ctx, sql, args...)
	r.note("%s: %s", sql, outcome(tag, err))
}

// outcome returns the tag or the kind of the error.
func outcome(tag pgconn.CommandTag, err error) string {
	switch server, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		return tag.String()
	case ok:
		return server.Severity + " " + server.Code
	case errors.Is(err, sim.ErrReset):
		return "reset"
	}
	return classOf(err)
}

func (r *rig) sleepTo(when time.Duration) {
	_ = r.worker.Sleep(context.Background(), when-r.Time())
}

// oneServer is the layout of a single server.
func oneServer() backend.Layout {
	return backend.Layout{
		Names: []string{"db"}, WallOffset: func(string) time.Duration { return 0 }, Record: func(history.Event) {},
	}
}

func withOp(ctx context.Context, op string) context.Context { return env.WithOp(ctx, op) }
