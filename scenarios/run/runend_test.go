package run_test

import (
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// verdicts runs one seed of a scenario and returns its history and what each
// check says.
func verdicts(t *testing.T, text, strategy string) (*history.History, map[string]checker.Verdict) {
	t.Helper()
	s, err := scenarios.Parse("end.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: strategy, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]checker.Verdict{}
	for _, r := range trial.Results {
		got[r.Check] = r.Verdict
	}
	return trial.History, got
}

// Twenty workers need the lock for 100 s each, so the last of them is let in half
// an hour after the last section was begun.
func TestWaitersDrain(t *testing.T) {
	h, got := verdicts(t, `
name: drain
duration: 60s
workers: 20
workload: {kind: counter, hold: 100s}
lock: {ttl: 15s, renew: 5s, retry: {attempts: unlimited, delay: 1s}}
strategies: [redis-watchdog]
checks: [progress, lost-update]
`, "redis-watchdog")
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.Class != history.ClassOK {
			t.Errorf("section %d of %s ended with %q", s.N, s.Worker, s.Class)
		}
	}
	if h.Meta.Stopped != history.StopNone || h.Meta.End < 33*time.Minute || got["progress"] != checker.Valid {
		t.Errorf("ended at %v, stopped %q, progress %s", h.Meta.End, h.Meta.Stopped, got["progress"])
	}
}

// A crashed worker leaves a key without an expiry, for which the other one asks
// without end.
func TestRunThatCannotEndIsStopped(t *testing.T) {
	h, got := verdicts(t, `
name: stuck
duration: 60s
workers: 2
workload: {kind: counter, hold: 1s}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms}}
strategies: [redis-noexpire]
faults:
  - when: {worker: worker-1, point: lease-checked}
    crash: {for: 1h}
checks: [progress, recovery]
`, "redis-noexpire")
	if h.Meta.Stopped != history.StopCalm {
		t.Errorf("stopped %q at %v", h.Meta.Stopped, h.Meta.End)
	}
	if got["progress"] != checker.Invalid || got["recovery"] != checker.Invalid {
		t.Errorf("the waiter waited for ever, and the lock leaked: %v", got)
	}
}

// The primary is gone from 3 s before the end of the duration on. The replica
// takes over 15 s later, and the primary comes back after a minute, as it does
// when it crashes earlier.
func TestFaultRunsItsCourseAfterTheDuration(t *testing.T) {
	const text = `
name: late-crash
duration: 60s
workers: 2
workload: {kind: counter, hold: 20s, think: 100ms}
lock: {ttl: 30s, renew: 10s, max-hold: 0s, retry: {attempts: unlimited, delay: 1s, jitter: 500ms}}
servers: {replicas: 1, failover: 15s}
strategies: [redis-watchdog]
faults:
  - {at: 57s, crash: {target: lock, for: 1m}}
checks: [lost-update, exclusion, told, errors, recovery]
`
	h, got := verdicts(t, text, "redis-watchdog")
	for check, verdict := range got {
		if verdict != checker.Valid {
			t.Errorf("%s is %s", check, verdict)
		}
	}
	for _, e := range h.Events {
		if e.Type == history.FaultEnd && e.At == 57*time.Second+time.Minute {
			return
		}
	}
	t.Error("the crash did not last for a minute")
}
