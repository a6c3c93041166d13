package run_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// spent holds what a run allocates, and how much happens in it.
type spent struct {
	bytes, objects float64
	events         float64
}

// spend executes a run of redis, with one lock for ten workers and no history if it is large.
func spend(t *testing.T, workers int, duration, think time.Duration) spent {
	t.Helper()
	s := runtest.Parse(t, fmt.Sprintf(`
name: many
description: ten workers for each lock, and pauses
duration: %v
workers: %d
resources: %d
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 200ms}, think: %v}
network: {latency: {dist: uniform, min: 500us, max: 1500us}}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis]
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 10s}, for: {dist: lognormal, median: 500ms, p99: 5s}}
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss]
`, duration, workers, workers/10, think))
	var c spent
	err := run.NewPool(s, nil, 1, time.Minute).All(t.Context(), 1, func(int64) run.Task {
		return run.Task{Scenario: s, Use: s.Strategies[0], Seed: 1, Do: func(r *run.Runner) error {
			r.Counts = true
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			trial, err := r.Once(s.Strategies[0], 1)
			if err != nil {
				return err
			}
			runtime.ReadMemStats(&after)
			c.bytes, c.objects = float64(after.TotalAlloc-before.TotalAlloc), float64(after.Mallocs-before.Mallocs)
			c.events = float64(trial.Events)
			return nil
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kept returns the bytes that the process has for each worker, on the heap and in stacks, after a second. One of ten
// workers is in its section, and the others have asked for its lock.
func kept(t *testing.T, workers int) float64 {
	t.Helper()
	s := runtest.Parse(t, fmt.Sprintf(`
name: waiting
description: ten workers want each lock, and nine give up
duration: %ds
workers: %d
resources: %d
workload: {kind: counter, hold: 10s, think: 1h}
network: {latency: 1ms}
lock: {ttl: 20s, retry: {attempts: 3, delay: 500ms, jitter: 500ms}}
strategies: [redis]
checks: [lost-update]
`, 100_000/workers, workers, workers/10))
	memory := func() uint64 {
		runtime.GC()
		runtime.GC() // a stack gets smaller in one collection, and its memory is free in the next
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	var each float64
	err := run.NewPool(s, nil, 1, time.Minute).All(t.Context(), 1, func(int64) run.Task {
		return run.Task{Scenario: s, Use: s.Strategies[0], Seed: 1, Do: func(r *run.Runner) error {
			r.Counts = true
			before := memory()
			r.Visit = func(at time.Duration, _, _ string) {
				if at >= time.Second && each == 0 {
					each = (float64(memory()) - float64(before)) / float64(workers)
				}
			}
			_, err := r.Once(s.Strategies[0], 1)
			return err
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if each <= 0 {
		t.Fatalf("%d workers: the memory of a worker was not measured: %.0f bytes", workers, each)
	}
	return each
}

// A worker that waits has a stack of 8 KB. The rest is its client of the lock server, its lock, its connections and its
// part of the log of events. The race detector has memory of its own, so only the ratio is tested under it.
func TestTheMemoryOfAWorkerDoesNotGrowWithTheNumberOfWorkers(t *testing.T) {
	const (
		bound = 1.3
		most  = 16 << 10
	)
	before := kept(t, 100)
	for _, workers := range []int{1_000, 10_000} {
		now := kept(t, workers)
		t.Logf("%d workers: %.0f bytes each", workers, now)
		if now > bound*before {
			t.Errorf("%d workers take %.0f bytes each, more than %.1f times the %.0f of a tenth of them", workers, now, bound, before)
		}
		if now > most && !underRace {
			t.Errorf("%d workers take %.0f bytes each, want at most %d", workers, now, most)
		}
		before = now
	}
}

// Ten times the workers, or ten times the time, is about ten times the events. What a run allocates may
// grow by a factor of at most 1.3 for each event. If each worker made a list of the names of all workers,
// it would grow by 1.7.
func TestWhatARunAllocatesGrowsLinearlyWithItsWorkersAndItsTime(t *testing.T) {
	const bound = 1.3
	for _, tt := range []struct {
		name         string
		small, large spent
	}{
		{"workers", spend(t, 200, 2*time.Second, 100*time.Millisecond), spend(t, 2000, 2*time.Second, 100*time.Millisecond)},
		{"time", spend(t, 10, 10*time.Second, 100*time.Millisecond), spend(t, 10, 100*time.Second, 100*time.Millisecond)},
		{"time, judged by lock", spend(t, 500, 100*time.Second, 20*time.Second), spend(t, 500, 400*time.Second, 20*time.Second)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if grew := tt.large.events / tt.small.events; grew < 3 {
				t.Fatalf("the large run has only %.1f times the events of the small one", grew)
			}
			for _, of := range []struct {
				what         string
				small, large float64
			}{
				{"bytes", tt.small.bytes, tt.large.bytes},
				{"objects", tt.small.objects, tt.large.objects},
			} {
				small, large := of.small/tt.small.events, of.large/tt.large.events
				t.Logf("%s for each event: %.2f and %.2f", of.what, small, large)
				if large > bound*small {
					t.Errorf("%s for each event: %.2f in the large run and %.2f in the small one, more than %.1f times as many", of.what, large, small, bound)
				}
			}
		})
	}
}
