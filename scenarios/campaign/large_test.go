package campaign_test

import (
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

// The same run, once with its whole history and once judged lock by lock: 5 workers times 10,000 s are a
// large run, times 9,999 s none.
func TestACampaignOfLargeRunsKeepsTheLockThatShowsAViolation(t *testing.T) {
	for _, tt := range []struct {
		duration string
		locks    int // whose events are kept
	}{{"9999s", 2}, {"10000s", 1}} {
		s := runtest.Parse(t, `
name: long
description: work without a lock, for a long time
duration: `+tt.duration+`
workers: 5
resources: 2
workload: {kind: counter, hold: 5s, think: {dist: uniform, min: 10s, max: 60s}}
strategies: [none]
faults:
  - pause: {target: worker-1, every: 100s, for: 5s}
checks: [linearizable, lost-update, progress]
`)
		c := runtest.Campaign(t, s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}})
		stats := c.Strategies[0]
		for check, want := range map[string]int{"linearizable": 1, "lost-update": 1, "progress": 0} {
			if got := stats.Checks[check].Violating; got != want {
				t.Errorf("%s: %s was violated in %d runs, want %d", tt.duration, check, got, want)
			}
		}
		if len(stats.Failures) != 2 {
			t.Errorf("%s: %d violations are kept, want those of lost-update and linearizable", tt.duration, len(stats.Failures))
		}
		for _, f := range stats.Failures {
			if got := len(keysOf(f.Trial.History)); got != tt.locks {
				t.Errorf("%s: the history of %s has events of %d locks, want %d", tt.duration, f.Check, got, tt.locks)
			}
			sameFindings(t, f)
		}
	}
}

// keysOf returns the keys and items of a history.
func keysOf(h *history.History) map[string]bool {
	keys := map[string]bool{}
	for i := range h.Events {
		if key := h.Events[i].Key; key != "" {
			keys[key] = true
		}
	}
	return keys
}

// sameFindings judges the history of a failure again. It must find what the failure says.
func sameFindings(t *testing.T, f results.Failure) {
	t.Helper()
	again, err := checker.Run(f.Trial.History, []string{f.Check})
	if err != nil {
		t.Fatalf("%s: %v", f.Check, err)
	}
	for _, r := range f.Trial.Results {
		if r.Check != f.Check {
			continue
		}
		if r.Verdict != checker.Invalid || len(r.Findings) == 0 || len(r.Findings[0].Events) == 0 {
			t.Fatalf("%s: the results of its run show no violation: %+v", f.Check, r)
		}
		if got, want := again[0].Findings[0], r.Findings[0]; got.Text != want.Text || got.Events[0] != want.Events[0] {
			t.Errorf("%s: the history says %q at event %d, the results say %q at event %d", f.Check, got.Text, got.Events[0], want.Text, want.Events[0])
		}
	}
}

// The requests of waiters in step are those for all locks of a server, so no lock shows the violation: there are
// too few for each.
func TestACampaignOfLargeRunsReportsAViolationThatNoLockShows(t *testing.T) {
	c := runtest.Campaign(t, runtest.Parse(t, runtest.InStep), campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}})
	stats := c.Strategies[0]
	if got := stats.Checks["load"]; got.Violating != 1 || got.Replay == "" {
		t.Errorf("load was violated in %d runs, want 1; it is repeated by %q", got.Violating, got.Replay)
	}
	if len(stats.Failures) != 0 {
		t.Errorf("%d violations are kept, want none", len(stats.Failures))
	}
}
