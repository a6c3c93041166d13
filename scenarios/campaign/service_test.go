package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// serviceChecks are those that judge what a lock does for its users,
// and not what became of the resource.
const serviceChecks = "[told, recovery, progress, errors, ownership]"

// service is a scenario with one use of a strategy, which is judged by the
// service checks alone.
func service(t *testing.T, use, rest string) *scenarios.Scenario {
	t.Helper()
	return parseText(t, fmt.Sprintf(`name: service
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
strategies: [%s]
checks: %s
%s`, use, serviceChecks, rest))
}

// violations runs seeds 1 to n of a scenario with one strategy and counts, by
// check, the runs that violate it. The text is a finding of the first.
func violations(t *testing.T, s *scenarios.Scenario, n uint64) (runs map[string]int, texts map[string]string) {
	t.Helper()
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: n}})
	runs, texts = map[string]int{}, map[string]string{}
	for check, stats := range c.Strategies[0].Checks {
		runs[check] = stats.Violating
		if stats.Unknown > 0 {
			t.Errorf("%s: %s is unknown in %d runs", s.Strategies[0].Name, check, stats.Unknown)
		}
		if stats.Violating == 0 {
			continue
		}
		trial := trialOf(t, s, s.Strategies[0].Label, stats.FirstSeed)
		for _, r := range trial.Results {
			if r.Check == check {
				texts[check] = fmt.Sprintf("seed %d: %s %v", stats.FirstSeed, r.Findings[0].Text, r.Findings[0].Events)
			}
		}
	}
	return runs, texts
}

// trouble is a name for what goes wrong in a run of a sound strategy.
type trouble struct{ name, text string }

// troubles are the classes of faults under which every sound strategy claims
// that it serves.
func troubles() []trouble {
	// often lets every worker meet a fault every 15 s or so.
	often := func(kind, more, length string) string {
		return fmt.Sprintf("  - %s: {%s, every: {dist: exponential, mean: 15s}, for: %s}\n", kind, more, length)
	}
	const long = "{dist: lognormal, median: 2s, p99: 30s}"
	link := func(mode, length string) string {
		return often("partition", "from: each worker, to: lock, mode: "+mode, length) +
			often("partition", "from: lock, to: each worker, mode: "+mode, length)
	}
	// caught adds faults of single messages of every operation, early and late in the run.
	caught := func(fault string, ends ...string) string {
		var b strings.Builder
		for i, op := range []string{"acquire", "release", "renew", "write", "read"} {
			if op == "acquire" && strings.HasPrefix(fault, "duplicate") {
				continue // the second arrival takes the lock for a worker that has left: a violation of recovery
			}
			for j, end := range ends {
				for _, nth := range []int{1 + i, 6 + 3*j} {
					fmt.Fprintf(&b, "  - {when: {worker: worker-%d, point: %s.%s, nth: %d}, %s}\n",
						1+(i+j+nth)%4, op, end, nth, fault)
				}
			}
		}
		return b.String()
	}
	return []trouble{
		{"none", "  []\n"},
		{"pause", often("pause", "target: each worker", long)},
		{"stall of the work", often("stall", "target: each worker, task: main", long)},
		{"stall of the renewal", often("stall", "target: each worker, task: renewal", long)},
		{"delay", link("hold", "{dist: uniform, min: 100ms, max: 2s}") + caught("hold: {for: {dist: uniform, min: 1s, max: 20s}}", "sent", "replied")},
		{"partition that holds", link("hold", long)},
		{"partition that drops", link("drop", long)},
		{"partition from the resource", strings.ReplaceAll(link("hold", long), "lock", "resource")},
		{"drop", caught("drop: {for: {dist: uniform, min: 0s, max: 3s}}", "sent", "replied")},
		{"slow link", often("latency", "from: each worker, to: lock, add: {dist: uniform, min: 1ms, max: 800ms}", long) +
			often("loss", "from: lock, to: each worker, percent: 30", long)},
		{"duplicate", caught("duplicate: {for: {dist: uniform, min: 1ms, max: 5s}}", "sent")},
		{"reorder", caught("reorder: {for: {dist: uniform, min: 1ms, max: 5s}}", "sent")},
		{"error", caught("error: {}", "sent")},
		{"reset and cancel", "  - reset: {from: each worker, to: lock, every: {dist: exponential, mean: 3s}}\n" +
			"  - cancel: {target: each worker, every: {dist: exponential, mean: 3s}}\n"},
		{"busy server", often("overload", "target: lock, service: {dist: uniform, min: 1ms, max: 100ms}", long) +
			often("pause", "target: lock", long)},
		{"overrun", often("overrun", "target: each worker, by: 5s", long)},
		{"crash", often("crash", "target: each worker", long)},
		{"pause, drop and crash", often("pause", "target: each worker", long) + link("drop", long) + often("crash", "target: each worker", long)},
	}
}

// A sound strategy is never accused of what it was put through.
func TestSoundStrategiesServe(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 5
	}
	for _, name := range []string{"redis", "redis-backoff", "redis-checked", "redis-watchdog", "redis-fenced", "redis-fenced-incr-first"} {
		for _, trouble := range troubles() {
			t.Run(name+"/"+trouble.name, func(t *testing.T) {
				clean(t, service(t, name, shortWork+trouble.text), seeds)
			})
		}
	}
}

// clean fails if a service check is violated in one of the seeds 1 to n.
func clean(t *testing.T, s *scenarios.Scenario, n uint64) {
	t.Helper()
	runs, texts := violations(t, s, n)
	for _, check := range slices.Sorted(maps.Keys(runs)) {
		if runs[check] > 0 {
			t.Errorf("%s: %s is violated in %d of %d runs, %s", s.Strategies[0].Name, check, runs[check], n, texts[check])
		}
	}
}

// What the workers do: much work that is short beside the lease, little such
// work, and work that may take longer.
const (
	shortWork = `duration: 30s
workers: 4
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 800ms}, think: 100ms}
lock: {ttl: 2s, max-hold: 10s}
faults:
`
	rareWork = `duration: 60s
workers: 1
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 800ms}, think: 5s}
lock: {ttl: 2s}
faults:
`
	longWork = `duration: 60s
workers: 4
workload: {kind: counter, hold: {dist: uniform, min: 5s, max: 20s}, think: 100ms}
lock: {retry: {attempts: unlimited}, max-hold: 30s}
faults:
`
)

// Every flaw in the service of a lock is seen by the check that is made for it,
// under faults under which the lock without the flaw is clean.
func TestServiceFlawsAreCaught(t *testing.T) {
	const (
		pauses  = "  - pause: {target: each worker, every: {dist: exponential, mean: 15s}, for: {dist: lognormal, median: 2s, p99: 30s}}\n"
		crashes = "  - crash: {target: each worker, every: {dist: exponential, mean: 15s}, for: 2s}\n"
		long    = "  - pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: {dist: uniform, min: 10s, max: 15s}}\n"
		nothing = "  []\n"
	)
	// first takes hold of the first messages of worker 1 at a point.
	first := func(n int, point, fault string) string {
		var b strings.Builder
		for nth := 1; nth <= n; nth++ {
			fmt.Fprintf(&b, "  - {when: {worker: worker-1, point: %s, nth: %d}, %s}\n", point, nth, fault)
		}
		return b.String()
	}
	// twins is two workers that first ask at the same millisecond by their own
	// clocks, the second 3 s later; the first has been paused meanwhile.
	const twins = `duration: 60s
workers: 2
sections: 1
workload: {kind: counter, hold: 1500ms}
lock: {ttl: 2s}
each: [{worker: worker-2, start: 3s}]
faults:
  - {at: 1s, clock-step: {target: worker-2, by: -3s, for: 50s}}
  - {when: {worker: worker-1, point: lease-checked}, pause: {for: 2s}}
`
	seeds := uint64(20)
	for _, test := range []struct{ check, flawed, sound, text string }{
		{"ownership", "redis-del", "redis", shortWork + pauses},
		{"ownership", "redis-constant-token", "redis", shortWork + pauses},
		{"ownership", "redis-instance-owner", "redis", shortWork + first(9, "release.sent", "hold: {for: {dist: uniform, min: 5s, max: 20s}}")},
		{"ownership", "redis-watchdog-overlap", "redis-watchdog", longWork + first(9, "renew.sent", "hold: {for: {dist: uniform, min: 0s, max: 3s}}")},
		{"ownership", "redis-watchdog-racy", "redis-watchdog", rareWork + first(9, "acquired", "stall: {task: renewal, for: 1s}")},
		{"ownership", "redis-weak-token", "redis", twins},
		{"told", "redis-watchdog-deaf", "redis-watchdog", longWork + long},
		{"told", "redis-watchdog-late-flag", "redis-watchdog", longWork + long},
		{"told", "redis-release-ignored", "redis", shortWork + pauses},
		{"recovery", "redis-noexpire", "redis", shortWork + crashes},
		{"recovery", "redis-setnx-expire", "redis", shortWork + first(1, "acquire.applied", "crash: {for: 2s}")},
		{"recovery", "redis-blind-timeout", "redis", rareWork + first(9, "acquire.replied", "drop: {for: 100ms}")},
		{"recovery", "redis-client-resend", "redis", rareWork + first(9, "acquire.replied", "drop: {for: 100ms}")},
		{"recovery", "redis-release-never", "redis", shortWork + nothing},
		{"recovery", "redis-release-skipped", "redis", shortWork + first(9, "write.sent", "drop: {for: 100ms}")},
		{"recovery", "redis-fenced-published", "redis-fenced", shortWork + nothing},
		{"errors", "redis-release-masks", "redis", shortWork + first(9, "release.sent", "drop: {for: 100ms}")},
		{
			"errors", "{name: redis-blind-timeout, lock: {retry: {attempts: 1}}}", "{name: redis, lock: {retry: {attempts: 1}}}",
			rareWork + first(9, "acquire.sent", "error: {}"),
		},
		{"errors", "redis-watchdog-late-flag", "redis-watchdog", longWork + first(9, "renew.replied", "drop: {for: 100ms}")},
		{"errors", "redis-watchdog-crash", "redis-watchdog", longWork + first(9, "renew.replied", "drop: {for: 100ms}")},
		{"progress", "{name: redis-doubling, lock: {profile: batch}}", "redis", longWork + nothing}, // sleeps of up to 256 s
		{
			"progress", "{name: redis-watchdog-forever, lock: {max-hold: 0s, retry: {attempts: unlimited}}}",
			"{name: redis-watchdog, lock: {retry: {attempts: unlimited}}}", shortWork + first(1, "write.sent", "hold: {for: 10m}"),
		},
	} {
		t.Run(test.flawed, func(t *testing.T) {
			clean(t, service(t, test.sound, test.text), seeds)
			runs, texts := violations(t, service(t, test.flawed, test.text), seeds)
			t.Logf("violated in %v of %d runs, %v", runs, seeds, texts)
			if runs[test.check] == 0 {
				t.Errorf("%s is violated in no run", test.check)
			}
		})
	}
}
