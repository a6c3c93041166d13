package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"lockquake/internal/draw"
)

// Under any faults in any order, an answer is that to its own request, the same seed gives the same
// run, and a world in which everything has healed serves all workers.
func TestAHealedWorldServesAllWorkers(t *testing.T) {
	for seed := range uint64(20) {
		sum := storm(t, seed)
		if again := storm(t, seed); again != sum {
			t.Errorf("seed %d gave the checksums %s and %s", seed, sum, again)
		}
	}
}

// storm injects 40 faults into a world of three workers within two seconds.
func storm(t *testing.T, seed uint64) string {
	w := New(Config{
		Seed: seed, Step: 10 * time.Microsecond, WakeLag: draw.Fixed(100 * time.Microsecond), Limit: time.Minute,
		Latency: draw.Dist{Kind: draw.Exponential, Mean: time.Millisecond},
	})
	defer w.Close()
	n := w.AddNode("server", NodeConfig{})
	n.Listen(&moody{echo{log: &eventLog{world: w}}})
	r := w.Source().Stream("storm", "").Rand()
	served := 0
	for i := range 3 {
		name := fmt.Sprintf("worker-%d", i+1)
		k := w.AddNode(name, NodeConfig{}).Process(name).Worker(name)
		for range 5 {
			fault := requestFault(w, r)
			k.OnPoint("read.sent", 1+r.IntN(100), func() {
				if err := fault(); err != nil {
					t.Error(err)
				}
			})
		}
		k.Go("main", func() {
			for k.Mono() < 3*time.Second {
				ask(t, k)
			}
			// The last faults end, and lost messages come, before 20 s.
			_ = k.Sleep(context.Background(), 20*time.Second)
			if ask(t, k) == nil {
				served++
			}
		})
	}
	for range 25 {
		worker, d := fmt.Sprintf("worker-%d", 1+r.IntN(3)), time.Duration(r.Int64N(int64(300*time.Millisecond)))
		fault := worldFault(w, n, r, worker, d)
		w.At(time.Duration(r.Int64N(int64(2*time.Second))), func() {
			if err := fault(); err != nil {
				t.Error(err)
			}
		})
	}
	run(t, w)
	if served != 3 {
		t.Errorf("seed %d: after the storm %d of 3 workers were served", seed, served)
	}
	return w.Checksum()
}

// ask dials and sends requests until one gets no answer, or ten get one.
func ask(t *testing.T, k *Worker) error {
	ctx := context.Background()
	c, err := k.process.Dial(ctx, "server", 100*time.Millisecond)
	if err != nil {
		_ = k.Sleep(ctx, 10*time.Millisecond)
		return err
	}
	defer c.Close()
	for i := range 10 {
		want := fmt.Sprintf("%s at %v, %d", k.name, k.Mono(), i)
		answer, err := c.Call(ctx, "read", want, 200*time.Millisecond)
		if err != nil {
			return err
		}
		if answer != want && answer != "read failed: storm" {
			t.Errorf("%q was answered by %q", want, answer)
		}
	}
	return nil
}

// requestFault draws a fault of one request.
func requestFault(w *World, r *rand.Rand) func() error {
	d := time.Duration(r.Int64N(int64(300 * time.Millisecond)))
	return [...]func() error{
		func() error { return w.DuplicateMessage(d) },
		func() error { return w.ReorderMessage(d) },
		func() error { return w.FailMessage("storm") },
		func() error { return w.HoldMessage(d) },
		func() error { return w.DropMessage(d) },
		func() error { return errors.Join(w.DuplicateMessage(d), w.ReorderMessage(d), w.HoldMessage(d)) },
	}[r.IntN(6)]
}

// worldFault draws a fault of the server, or of the link between it and a worker.
func worldFault(w *World, n *Node, r *rand.Rand, worker string, d time.Duration) func() error {
	later := func(do func()) { w.At(w.Time()+d, do) }
	do := func(f func()) func() error {
		return func() error {
			f()
			return nil
		}
	}
	service := draw.Dist{Kind: draw.Exponential, Mean: 5 * time.Millisecond}
	impairment := Impairment{Extra: service, LossPPM: r.Int64N(500_000)}
	return [...]func() error{
		do(func() { n.Crash(); later(n.Restart) }),
		do(func() { n.Freeze(d) }),
		do(func() { n.Suspend(d) }),
		do(func() { n.SetService(&service); later(func() { n.SetService(nil) }) }),
		do(func() { w.Node(worker).Freeze(d) }),
		func() error { return w.Impair(worker, "server", impairment, d) },
		func() error { return w.Impair("server", worker, impairment, d) },
		func() error { return w.Reset(worker, "server") },
		func() error { return w.CutLink(worker, "server", CutHold, d) },
		func() error { return w.CutLink("server", worker, CutHold, d) },
		func() error { return w.CutLink("server", worker, CutDrop, d) },
	}[r.IntN(11)]
}
