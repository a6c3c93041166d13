package run_test

import (
	"fmt"
	"testing"

	"lockquake/history"
)

// As many sections are inside at once as there are permits, and never more. Under a lock without
// permits one is.
func TestAsManySectionsAreInsideAsThereArePermits(t *testing.T) {
	for strategy, want := range map[string]int{"redis-semaphore": 3, "pg-semaphore": 3, "etcd-semaphore": 3, "zookeeper-semaphore": 3, "redis": 1, "none": 5} {
		trial := ran(t, fmt.Sprintf(`
name: permits
duration: 20s
workers: 5
workload: {kind: limited, permits: 3, hold: 50ms, think: 10ms}
network: {latency: 1ms}
lock: {retry: {attempts: unlimited, delay: 10ms, jitter: 10ms}}
strategies: [%s]
`, strategy))
		inside, most := 0, 0
		for _, e := range trial.History.Events {
			switch e.Type {
			case history.Acquired:
				inside++
				most = max(most, inside)
			case history.ReleaseCalled:
				inside--
			default:
			}
		}
		if most != want {
			t.Errorf("%s: %d sections were inside at once, want %d", strategy, most, want)
		}
		if strategy != "none" {
			sound(t, trial, "capacity", "exclusion", "recovery", "errors", "ownership", "progress")
		}
	}
}

// The server holds a re-entrant lock until the outer section releases it. Each section has one grant.
func TestAReentrantLockLastsUntilItsOuterRelease(t *testing.T) {
	trial := ran(t, `
name: nested
duration: 20s
workers: 3
workload: {kind: nested, hold: 50ms, think: 10ms}
network: {latency: 1ms}
lock: {retry: {attempts: unlimited, delay: 10ms, jitter: 10ms}}
strategies: [redis-reentrant]
`)
	count := map[history.Type]int{}
	left := false // the holder has begun its outer release
	for _, e := range trial.History.Events {
		count[e.Type]++
		switch e.Type {
		case history.Granted:
			left = false
		case history.ReleaseCalled:
			left = true
		case history.Freed:
			if !left {
				t.Errorf("%s frees the lock at %v, inside its section", e.Worker, e.At)
			}
		default:
		}
	}
	sections := count[history.AcquireCalled]
	if sections < 100 || count[history.Granted] != sections || count[history.Freed] != sections || count[history.Renewed] != sections {
		t.Errorf("%d sections, and events %v; want one grant, one renewal by the inner section and one release each", sections, count)
	}
	sound(t, trial, "lost-update", "exclusion", "recovery", "errors", "ownership", "progress", "told")
}
