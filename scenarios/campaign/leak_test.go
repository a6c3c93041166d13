package campaign

import (
	"runtime"
	"testing"

	"lockquake/scenarios/results"
)

// small is a run of two workers with a section each: nearly all of it is what
// a run costs before and after.
const small = `
name: small
description: two workers, one section each, and a pause
duration: 5s
workers: 2
sections: 1
workload: {kind: counter, hold: 10ms, think: 0s}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 10ms, jitter: 5ms}}
network: {latency: 1ms}
strategies:
  - {name: redis-fenced, label: fenced, resource: {fence: reads-writes}}
faults:
  - at: 5ms
    pause: {target: worker-1, for: 20ms}
checks: [linearizable, lost-update, exclusion, belief, fencing]
`

// A run leaves nothing behind: after many, the heap in use and the goroutines
// are where they were after a few.
func TestRunsLeaveNothingBehind(t *testing.T) {
	few, many := uint64(100), uint64(10_000)
	if testing.Short() {
		many = 1_000
	}
	s := parseText(t, small)
	runSeeds := func(first, last uint64) *results.Campaign {
		c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: first, Last: last}, Jobs: 1})
		return c
	}
	if c := runSeeds(1, few); c.Strategies[0].Acquisitions != 2*int64(few) {
		t.Fatalf("%d runs entered %d sections", few, c.Strategies[0].Acquisitions)
	}
	heap, goroutines := inUse()
	runSeeds(few+1, many)
	heapAfter, goroutinesAfter := inUse()
	if goroutinesAfter > goroutines {
		t.Errorf("%d goroutines after %d runs, %d after %d", goroutines, few, goroutinesAfter, many)
	}
	// Both campaigns are over, so memory that is still in use is a leak. The margin is
	// for the runtime itself; a leak of 7 bytes a run would exceed it.
	const margin = 64 << 10
	t.Logf("heap in use: %d bytes after %d runs, %d after %d", heap, few, heapAfter, many)
	if heapAfter > heap+margin {
		t.Errorf("heap in use: %d bytes after %d runs, %d after %d", heap, few, heapAfter, many)
	}
}

// inUse returns the bytes of the heap that something refers to, and the number
// of goroutines.
func inUse() (heap uint64, goroutines int) {
	// What a collection frees may hold what only the next one can.
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc, runtime.NumGoroutine()
}
