package client

import (
	"context"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/redis"
)

// rig is a world with a server, and a worker that has a client of it. A message takes 1 ms. A step
// takes no time by default, so dial and HELLO take 4 ms.
type rig struct {
	*sim.World
	worker *sim.Worker
	server *redis.Server
}

func newRig(t *testing.T, c sim.Config) *rig {
	t.Helper()
	c.Latency = draw.Fixed(time.Millisecond)
	r := &rig{World: sim.New(c)}
	t.Cleanup(r.Close)
	var err error
	if r.server, err = redis.New(r.AddNode("lock", sim.NodeConfig{}), redis.Options{}); err != nil {
		t.Fatal(err)
	}
	r.worker = r.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	return r
}

// timed returns settings under which a step and a waking take time.
func timed() sim.Config {
	return sim.Config{Step: 10 * time.Microsecond, WakeLag: draw.Fixed(100 * time.Microsecond)}
}

// client returns a client of the server on the node.
func (r *rig) client(node string, o Options) *goredis.Client {
	return New(r.worker.Process(), at(node), o)
}

// run runs body in the worker until everything has ended.
func (r *rig) run(t *testing.T, body func(ctx context.Context, c *goredis.Client)) {
	t.Helper()
	r.worker.Go("main", func() { body(context.Background(), r.client("lock", Options{})) })
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) sleepTo(when time.Duration) {
	_ = r.worker.Sleep(context.Background(), when-r.Time())
}

// at returns a resolver of a server that does not move.
func at(node string) func() string { return func() string { return node } }
