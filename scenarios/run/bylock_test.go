package run_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// longAndQuiet is a scenario whose runs are large, since they are long. Its workers do little, so that
// its history is small.
const longAndQuiet = `
name: long-and-quiet
description: few workers that rarely work, for a long time
duration: 5000s
workers: 20
resources: 4
workload: {kind: counter, hold: {dist: uniform, min: 1s, max: 4s}, think: 20s, fails: 5}
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
lock: {ttl: 5s, retry: {attempts: 20, delay: 2s, jitter: 500ms}}
strategies:
  - none
  - redis
  - redis-watchdog-cancel
  - {name: redis-fenced, label: fenced-writes, resource: {fence: writes}}
  - redis-del
  - pg-advisory-xact
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 300s}, for: {dist: lognormal, median: 4s, p99: 60s}}
  - crash: {target: worker-2, every: {dist: exponential, mean: 500s}, for: 20s}
  - partition: {from: worker-3, to: lock, every: {dist: exponential, mean: 500s}, for: 10s}
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss]
`

// bothWays executes a run with its history, and the same run of which only the counts are wanted.
func bothWays(t *testing.T, s *scenarios.Scenario, use scenarios.Strategy, seed uint64) (whole, byLock *results.Trial) {
	t.Helper()
	pool := run.NewPool(s, nil, 1, time.Minute)
	for _, counts := range []bool{false, true} {
		err := pool.All(t.Context(), 1, func(int64) run.Task {
			return run.Task{Scenario: s, Use: use, Seed: seed, Do: func(r *run.Runner) error {
				r.Counts = counts
				trial, err := r.Once(use, seed)
				if counts {
					byLock = trial
				} else {
					whole = trial
				}
				return err
			}}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return whole, byLock
}

// A check lists at most ten findings, in the order of the locks if it judges lock by lock. So the texts
// are compared only if there are fewer.
func TestARunJudgedLockByLockHasTheResultsOfItsWholeHistory(t *testing.T) {
	s := runtest.Parse(t, longAndQuiet)
	violated := map[string]bool{}
	for _, use := range s.Strategies {
		t.Run(use.Label, func(t *testing.T) {
			whole, byLock := bothWays(t, s, use, 1)
			if len(whole.History.Events) == 0 || len(byLock.History.Events) != 0 {
				t.Fatalf("%d and %d events in the histories, want some and none", len(whole.History.Events), len(byLock.History.Events))
			}
			for i := range whole.Results {
				a, b := &whole.Results[i], &byLock.Results[i]
				violated[a.Check] = violated[a.Check] || a.Verdict == checker.Invalid
				if len(a.Findings) == 10 {
					a.Findings, b.Findings = nil, nil
				}
				for _, r := range []*checker.Result{a, b} {
					slices.SortFunc(r.Findings, func(x, y checker.Finding) int { return cmp.Compare(x.Text, y.Text) })
				}
			}
			if diff := gocmp.Diff(whole.Results, byLock.Results); diff != "" {
				t.Errorf("results (-whole +by lock):\n%s", diff)
			}
			if diff := gocmp.Diff(whole.Metrics, byLock.Metrics); diff != "" {
				t.Errorf("metrics (-whole +by lock):\n%s", diff)
			}
			if diff := gocmp.Diff(whole.Bites, byLock.Bites); diff != "" {
				t.Errorf("faults that hit (-whole +by lock):\n%s", diff)
			}
			if diff := gocmp.Diff(whole.History.Meta, byLock.History.Meta); diff != "" {
				t.Errorf("description of the run (-whole +by lock):\n%s", diff)
			}
		})
	}
	for _, check := range []string{"linearizable", "lost-update", "exclusion", "belief", "told", "errors", "ownership"} {
		if !violated[check] {
			t.Errorf("no run violates %s, so the test compares less than it should", check)
		}
	}
}
