package run_test

import (
	"context"
	"testing"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/lock/postgres"
	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// managerWith is lock-manager with another method of the manager for one key, or for several.
type managerWith struct {
	manager *postgres.Manager
	do      func(m *postgres.Manager, ctx context.Context, keys []string, work postgres.Work) error
}

func (s managerWith) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	return s.DoAll(ctx, []string{key}, r, body)
}

func (s managerWith) DoAll(ctx context.Context, keys []string, r lock.Resource, body lock.Body) error {
	ended := func(error) {}
	err := s.do(s.manager, ctx, keys, func(ctx context.Context, conn postgres.Conn) error {
		r, ended = r.(lock.Transactional).In(conn)
		return body(ctx, lock.Held(ctx, r))
	})
	ended(err)
	return err
}

// managed runs a scenario under a method of the manager.
func managed(t *testing.T, text string, wait time.Duration, do func(m *postgres.Manager, ctx context.Context, keys []string, work postgres.Work) error) *results.Trial {
	t.Helper()
	var own lock.Entry
	for _, e := range scenarios.Strategies() {
		if e.Name == "lock-manager" {
			own = e
		}
	}
	own.Name = "mine"
	own.New = func(d lock.Deps) lock.Strategy {
		return managerWith{&postgres.Manager{Pool: postgres.PortOf(d).Pool, Wait: wait}, do}
	}
	s := runtest.Parse(t, text+"\nstrategies: [lock-manager]\n")
	trial, err := run.Once(s, run.Request{Label: "mine", Seed: 1, Own: []lock.Entry{own}})
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

const contended = `
name: manager
duration: 5s
workers: 3
workload: {kind: counter, hold: 50ms, think: 10ms}
network: {latency: 1ms}`

// classes counts the answers of the sections, and returns the longest wait of those that were not let
// in.
func classes(t *testing.T, trial *results.Trial) (count map[history.Class]int, longest time.Duration) {
	t.Helper()
	sections, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	count = map[history.Class]int{}
	for _, s := range sections {
		if count[s.Class]++; !s.Entered() {
			longest = max(longest, s.ReturnAt-s.CallAt)
		}
	}
	return count, longest
}

func sound(t *testing.T, trial *results.Trial, checks ...string) {
	t.Helper()
	for _, check := range checks {
		if r := resultOf(t, trial, check); r.Count > 0 || !r.Applies {
			t.Errorf("%+v", r)
		}
	}
}

func TestTryWithLockDoesNotWait(t *testing.T) {
	trial := managed(t, contended, 0, func(m *postgres.Manager, ctx context.Context, keys []string, work postgres.Work) error {
		return m.TryWithLock(ctx, keys[0], work)
	})
	got, longest := classes(t, trial)
	if got[history.ClassOK] < 50 || got[history.ClassNotObtained] < 50 || longest > 20*time.Millisecond {
		t.Errorf("%v, and the longest call that got no lock took %v", got, longest)
	}
	sound(t, trial, "lost-update", "exclusion", "errors", "recovery")
}

func TestAManagerGivesUpAfterItsWait(t *testing.T) {
	trial := managed(t, contended, 30*time.Millisecond, func(m *postgres.Manager, ctx context.Context, keys []string, work postgres.Work) error {
		return m.WithLock(ctx, keys[0], work)
	})
	got, longest := classes(t, trial)
	if got[history.ClassOK] < 50 || got[history.ClassNotObtained] < 10 || longest < 30*time.Millisecond || longest > 60*time.Millisecond {
		t.Errorf("%v, and the longest call that got no lock took %v", got, longest)
	}
	sound(t, trial, "lost-update", "exclusion", "errors", "recovery")
}

// Each worker names its locks in an order of its own, and one of them twice.
func TestTwoCallsOfAManagerNeverWaitForEachOther(t *testing.T) {
	const text = `
name: several
duration: 20s
workers: 4
resources: 3
workload: {kind: multi-lock, locks: 3, order: argument, hold: 20ms}
network: {latency: 1ms}`
	trial := managed(t, text, 0, func(m *postgres.Manager, ctx context.Context, keys []string, work postgres.Work) error {
		return m.WithLocks(ctx, append(keys, keys[0]), work)
	})
	got, _ := classes(t, trial)
	if len(got) != 1 || got[history.ClassOK] < 500 {
		t.Errorf("answers %v", got)
	}
	sound(t, trial, "lost-update", "exclusion", "errors", "recovery", "progress")
	several := 0
	sections, _ := trial.History.Sections()
	for _, s := range sections {
		if len(s.Others) > 0 {
			several++
		}
	}
	if several < 300 {
		t.Errorf("%d of %d sections have several locks", several, len(sections))
	}
}
