package sim

import (
	"context"
	"testing"
)

// Tasks that end leave few stacks behind, however many of them ran at once.
func TestFewStacksOfEndedTasksAreKept(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	k := w.AddNode("worker-1", NodeConfig{}).Process("worker-1").Worker("worker-1")
	gate := k.NewSem(0)
	ended := 0
	const tasks = 3 * mostIdle
	for range tasks {
		k.Go("waiter", func() {
			_ = gate.Acquire(context.Background())
			ended++
		})
	}
	k.Go("main", func() {
		for range tasks {
			gate.Release()
		}
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	if ended != tasks || len(w.idle) != mostIdle {
		t.Errorf("%d of %d tasks ended, and %d stacks are kept, want %d", ended, tasks, len(w.idle), mostIdle)
	}
}
