package run_test

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/history"
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
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss, load]
`

// manyLocks is a scenario whose locks have few sections each. How long a section may wait depends on
// the longest work and the number of workers of the run, and one lock has fewer of both.
const manyLocks = `
name: many-locks
description: few sections for each of many locks, and a replica that takes over
duration: 2600s
workers: 20
resources: 60
sections: 20
workload: {kind: counter, hold: {dist: uniform, min: 200ms, max: 1s}, think: {dist: uniform, min: 1s, max: 60s}}
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 500ms, jitter: 200ms}}
strategies:
  - redis-noexpire
  - {name: redis-fenced-split, resource: {fence: off}}
servers: {replicas: 1, failover: 500ms, lag: 2s}
faults:
  - crash: {target: each worker, every: {dist: exponential, mean: 200s}, for: 5s}
  - crash: {target: lock, every: {dist: exponential, mean: 100s}, for: 5s}
  - pause: {target: each worker, every: {dist: exponential, mean: 60s}, for: 5s}
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss, load]
`

// hungRenewal is a scenario in which the first renewal of three workers hangs, on locks whose leases
// no other section renews. The loss is needless since the strategy renews leases of other locks.
const hungRenewal = `
name: hung-renewals
description: three workers of twenty have long work, and each of them has a renewal that hangs
duration: 2600s
workers: 20
resources: 600
sections: 10
workload: {kind: counter, hold: {dist: uniform, min: 200ms, max: 1s}, think: 10s}
network: {latency: {dist: uniform, min: 500us, max: 1500us}}
lock: {ttl: 15s, renew: 2s, retry: {attempts: unlimited, delay: 2s, jitter: 500ms}}
client: {read-timeout: 15s}
strategies: [redis-watchdog]
each: [{worker: worker-1, hold: 30s}, {worker: worker-2, hold: 30s}, {worker: worker-3, hold: 30s}]
faults:
  - {when: {worker: worker-1, point: renew.sent}, hold: {for: 20s}}
  - {when: {worker: worker-2, point: renew.sent}, hold: {for: 20s}}
  - {when: {worker: worker-3, point: renew.sent}, hold: {for: 20s}}
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss, load]
`

// oneOwner is a scenario in which a worker has the same owner name for all its locks, and a replica
// that takes over has lost releases of it.
const oneOwner = `
name: one-owner
description: workers that use one owner name for several locks, and a replica that takes over
duration: 2600s
workers: 20
resources: 12
sections: 60
workload: {kind: counter, hold: {dist: uniform, min: 200ms, max: 700ms}, think: 20ms}
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
lock: {ttl: 5s}
strategies: [redis-instance-owner]
servers: {replicas: 1, failover: 500ms, lag: 2s}
faults: [{crash: {target: lock, every: 20s, for: 5s}}]
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss, load]
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
	for _, tt := range []struct {
		text     string
		violated []string // at least; else the test compares less than it should
	}{
		{longAndQuiet, []string{"linearizable", "lost-update", "exclusion", "belief", "told", "errors", "ownership"}},
		{manyLocks, []string{"fencing", "recovery", "progress"}},
		{hungRenewal, []string{"needless-loss"}},
		{oneOwner, []string{"exclusion"}},
		{runtest.InStep, []string{"load"}},
	} {
		s := runtest.Parse(t, tt.text)
		t.Run(s.Name, func(t *testing.T) {
			violated := map[string]bool{}
			for _, use := range s.Strategies {
				for _, check := range sameBothWays(t, s, use) {
					violated[check] = true
				}
			}
			for _, check := range tt.violated {
				if !violated[check] {
					t.Errorf("no run violates %s, so the test compares less than it should", check)
				}
			}
		})
	}
}

// sameBothWays compares the results of a run that is judged both ways. It returns the violated checks.
func sameBothWays(t *testing.T, s *scenarios.Scenario, use scenarios.Strategy) (violated []string) {
	t.Helper()
	whole, byLock := bothWays(t, s, use, 1)
	if len(whole.History.Events) == 0 || len(byLock.History.Events) != 0 {
		t.Fatalf("%s: %d and %d events in the histories, want some and none", use.Label, len(whole.History.Events), len(byLock.History.Events))
	}
	agrees(t, use.Label, byLock)
	for i := range whole.Results {
		a, b := &whole.Results[i], &byLock.Results[i]
		if a.Verdict == checker.Invalid {
			violated = append(violated, a.Check)
		}
		if len(a.Findings) == 10 {
			a.Findings, b.Findings = nil, nil
		}
		for _, r := range []*checker.Result{a, b} {
			slices.SortFunc(r.Findings, func(x, y checker.Finding) int { return cmp.Compare(x.Text, y.Text) })
		}
	}
	if diff := gocmp.Diff(whole.Results, byLock.Results); diff != "" {
		t.Errorf("%s: results (-whole +by lock):\n%s", use.Label, diff)
	}
	if diff := gocmp.Diff(whole.Metrics, byLock.Metrics); diff != "" {
		t.Errorf("%s: metrics (-whole +by lock):\n%s", use.Label, diff)
	}
	if diff := gocmp.Diff(whole.Injections, byLock.Injections); diff != "" {
		t.Errorf("%s: faults that hit (-whole +by lock):\n%s", use.Label, diff)
	}
	if diff := gocmp.Diff(whole.History.Meta, byLock.History.Meta); diff != "" {
		t.Errorf("%s: description of the run (-whole +by lock):\n%s", use.Label, diff)
	}
	return violated
}

// agrees judges the kept parts of a run by all checks, without the run. Each check must find what the part says, and the
// check that the part is kept for must find what the run says first. The check load compares all locks, so its peaks are in no part.
func agrees(t *testing.T, label string, byLock *results.Trial) {
	t.Helper()
	for _, check := range byLock.Checks(checker.Invalid) {
		part := byLock.About(check)
		if part == nil {
			if check != "load" {
				t.Errorf("%s: no part shows the violation of %s", label, check)
			}
			continue
		}
		var file bytes.Buffer
		if err := history.Write(&file, part.History); err != nil {
			t.Fatal(err)
		}
		read, err := history.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := checker.Run(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]checker.Result{}
		for _, r := range again {
			of[r.Check] = r
		}
		for i, r := range part.Results {
			if r.Check == check {
				if got, want := r.Findings[0].Text, byLock.Results[i].Findings[0].Text; got != want {
					t.Errorf("%s: the first finding of %s is %q in its part and %q in the run", label, check, got, want)
				}
			}
			if diff := gocmp.Diff(r, of[r.Check]); diff != "" {
				t.Errorf("%s: the part that shows %s has another verdict of %s (-said +judged again):\n%s", label, check, r.Check, diff)
			}
			if r.Check == "load" && r.Verdict == checker.Valid && r.Applies {
				t.Errorf("%s: the part that shows %s calls load valid", label, check)
			}
			if r.Verdict == checker.Invalid && byLock.Results[i].Verdict != checker.Invalid {
				t.Errorf("%s: the part that shows %s violates %s, and the run does not", label, check, r.Check)
			}
		}
		if of[check].Verdict != checker.Invalid {
			t.Errorf("%s: the part that is kept for %s says %s", label, check, of[check].Verdict)
		}
		if p := read.Meta.Part; p == nil || p.Locks != len(byLock.History.Meta.Initial) {
			t.Errorf("%s: the part that shows %s is %+v of %d locks", label, check, p, len(byLock.History.Meta.Initial))
		}
	}
}
