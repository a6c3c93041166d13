package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	lockredis "lockquake/lock/redis"
	"lockquake/sim"
)

// shop is a world with a server and two processes, each with a worker and a port.
func shop(t *testing.T, connect func(r *rig, p *sim.Process) lockredis.Port) (r *rig, workers []*sim.Worker, ports []lockredis.Port, trace *strings.Builder) {
	t.Helper()
	trace = &strings.Builder{}
	r = newRig(t, sim.Config{Trace: trace})
	workers = []*sim.Worker{r.worker, r.AddNode("worker-2", sim.NodeConfig{}).Process("worker-2").Worker("worker-2")}
	for _, k := range workers {
		ports = append(ports, connect(r, k.Process()))
	}
	return r, workers, ports, trace
}

// Processes that share a client have the same run as processes with clients of their own: commands, pipelines,
// transactions and subscriptions go over connections of the process whose task calls, with the same messages.
func TestASharedClientSendsWhatClientsOfEachProcessWouldSend(t *testing.T) {
	steps := func(ctx context.Context, k *sim.Worker, c *goredis.Client) []any {
		name := k.Name()
		err := c.Set(ctx, name, 1, 0).Err()
		got, getErr := c.Get(ctx, name).Result()
		piped, pipeErr := c.Pipelined(ctx, func(p goredis.Pipeliner) error {
			p.Incr(ctx, name)
			p.Incr(ctx, "both")
			return nil
		})
		watchErr := c.Watch(ctx, func(tx *goredis.Tx) error {
			n, err := tx.Get(ctx, name).Int()
			if err != nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p goredis.Pipeliner) error { return p.Set(ctx, name, n+1, 0).Err() })
			return err
		}, name)
		subscription := c.Subscribe(ctx, name)
		_, subscribed := subscription.Receive(ctx)
		return []any{err, got, getErr, len(piped), pipeErr, watchErr, subscribed, subscription.Close()}
	}
	run := func(connect func(r *rig, p *sim.Process) lockredis.Port) (results []string, trace string) {
		r, workers, ports, text := shop(t, connect)
		for i, k := range workers {
			k.Go("main", func() {
				results = append(results, fmt.Sprintln(steps(context.Background(), k, ports[i].Client.(*goredis.Client))...))
			})
		}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		return results, text.String()
	}
	at := []func() string{at("lock")}
	want, wantTrace := run(func(_ *rig, p *sim.Process) lockredis.Port { return Connect(p, at, Options{}) })
	var shared *Shared
	got, gotTrace := run(func(r *rig, p *sim.Process) lockredis.Port {
		if shared == nil {
			shared = NewShared(r.World)
		}
		return shared.Connect(p, at, Options{})
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-own +shared):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Split(wantTrace, "\n"), strings.Split(gotTrace, "\n")); diff != "" {
		t.Errorf("trace (-own +shared):\n%s", diff)
	}
	if !strings.Contains(want[0], "<nil> 1 <nil> 2 <nil> <nil> <nil> <nil>") {
		t.Errorf("%s: want no error", want[0])
	}
}

// Each process has its own options, and all have the same client.
func TestProcessesOfASharedClientHaveTheirOwnOptions(t *testing.T) {
	timeouts := []time.Duration{time.Second, 3 * time.Second}
	var shared *Shared
	r, workers, ports, _ := shop(t, func(r *rig, p *sim.Process) lockredis.Port {
		if shared == nil {
			shared = NewShared(r.World)
		}
		return shared.Connect(p, []func() string{at("lock")}, Options{ReadTimeout: timeouts[0]})
	})
	ports[1] = shared.Connect(workers[1].Process(), []func() string{at("lock")}, Options{ReadTimeout: timeouts[1]})
	if ports[0].Client != ports[1].Client {
		t.Error("the processes have two clients")
	}
	for i, k := range workers {
		k.Go("main", func() {
			ctx := context.Background()
			c := ports[i].Client
			if err := c.Ping(ctx).Err(); err != nil {
				t.Error(err)
			}
			if err := r.CutLink("lock", k.Name(), sim.CutHold, time.Minute); err != nil {
				t.Error(err)
			}
			before := r.Time()
			if err := c.Ping(ctx).Err(); !errors.Is(err, sim.ErrTimeout) {
				t.Errorf("%s: %v, want a timeout", k.Name(), err)
			}
			if took := r.Time() - before; took != timeouts[i] {
				t.Errorf("%s: a reply is awaited for %v, want %v", k.Name(), took, timeouts[i])
			}
		})
	}
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
}

// The deferred calls of a task that the end of the run stops send nothing, and get an error.
func TestASharedClientSendsNothingAfterTheRun(t *testing.T) {
	shared := (*Shared)(nil)
	r, workers, ports, _ := shop(t, func(r *rig, p *sim.Process) lockredis.Port {
		if shared == nil {
			shared = NewShared(r.World)
		}
		return shared.Connect(p, []func() string{at("lock")}, Options{})
	})
	var errs []error
	workers[0].Go("main", func() {
		ctx := context.Background()
		defer func() {
			_, piped := ports[0].Client.Pipelined(ctx, func(p goredis.Pipeliner) error { return p.Ping(ctx).Err() })
			errs = []error{ports[0].Client.Ping(ctx).Err(), piped}
		}()
		_ = workers[0].Sleep(ctx, time.Hour)
	})
	r.At(time.Second, r.Stop)
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if len(errs) != 2 || !errors.Is(errs[0], sim.ErrOver) || !errors.Is(errs[1], sim.ErrOver) {
		t.Errorf("the deferred calls got %v, want twice %v", errs, sim.ErrOver)
	}
}
