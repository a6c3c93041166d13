package campaign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// refusing is a lock that refuses all workers, after a while or at once.
type refusing struct {
	lock.Deps
	after time.Duration
}

func (r refusing) Acquire(ctx context.Context, _ string) (lock.Lease, error) {
	return nil, cmp.Or(r.Env.Sleep(ctx, r.after), lock.ErrNotObtained)
}

// waiting is a lock that is waited for until the section is cancelled.
type waiting struct{ gate env.Sem }

func (w waiting) Acquire(ctx context.Context, _ string) (lock.Lease, error) {
	return nil, w.gate.Acquire(ctx)
}

// hanging is a lock whose work never ends: it hands out a resource that does not
// answer.
type hanging struct{ gate env.Sem }

func (hanging) Acquire(ctx context.Context, _ string) (lock.Lease, error) {
	return &leasedLease{ctx: ctx}, nil
}

func (h hanging) Do(ctx context.Context, key string, _ lock.Resource, body lock.Body) error {
	return lock.WithLock(h).Do(ctx, key, h, body)
}

func (h hanging) Read(ctx context.Context, _ string, _ int64) (string, error) {
	return "", h.gate.Acquire(context.WithoutCancel(ctx))
}

func (h hanging) Write(ctx context.Context, _, _ string, _ int64) error {
	return h.gate.Acquire(context.WithoutCancel(ctx))
}

// replaced gives every strategy of a scenario another implementation, under its name
// and with its claims.
func replaced(s *scenarios.Scenario, by func(e lock.Entry, d lock.Deps) lock.Strategy) []lock.Entry {
	var own []lock.Entry
	for _, use := range s.Strategies {
		i := slices.IndexFunc(scenarios.Strategies(), func(e lock.Entry) bool { return e.Name == use.Name })
		e := scenarios.Strategies()[i]
		of := e
		e.New = func(d lock.Deps) lock.Strategy { return by(of, d) }
		own = append(own, e)
	}
	return own
}

// someCases keeps a sample of the uses of a scenario with hundreds.
func someCases(uses []scenarios.Strategy) []scenarios.Strategy {
	const stride = 29 // it goes through all strategies and through most cases
	var some []scenarios.Strategy
	for i := 0; i < len(uses); i += stride {
		some = append(some, uses[i])
	}
	return some
}

// A lock that refuses at once, to workers that do not think, lets the run advance.
func TestLockThatRefusesAtOnceEndsUnknown(t *testing.T) {
	s := parseText(t, `
name: at-once
duration: 300ms
seeds: 2
workers: 2
workload: {kind: counter}
strategies: [redis]
`)
	c := campaignOf(t, s, Request{Own: replaced(s, func(_ lock.Entry, d lock.Deps) lock.Strategy { return lock.WithLock(refusing{Deps: d}) })})
	if m := c.Strategies[0].Metrics; c.Verdict != results.Unknown || m.Finished > 0 || m.Jobs < 100 {
		t.Errorf("%s, %d of %d finished", c.Summary(), m.Finished, m.Jobs)
	}
}

// A lock that does nothing yet answers ok in a few steps, and has at most one section in a millisecond.
func TestLockThatDoesNothingHasFewSections(t *testing.T) {
	s := parseText(t, `
name: nothing
duration: 300ms
seeds: 1
workers: 1
workload: {kind: counter}
strategies: [redis]
`)
	trial, err := run.Once(s, run.Request{Label: "mine", Seed: 1, Own: []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy {
		return broken(func(context.Context, lock.Body) error { return nil })
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	sections, err := trial.History.Sections()
	if n := len(sections); err != nil || n < 100 || n > 300 {
		t.Errorf("%d sections, %v", n, err)
	}
}

// A lock under which no work is finished passes in no built-in scenario, and nothing
// that is expected to hold holds under it.
func TestLockThatFinishesNothingPassesNowhere(t *testing.T) {
	locks := map[string]func(lock.Entry, lock.Deps) lock.Strategy{
		"never grants":        func(_ lock.Entry, d lock.Deps) lock.Strategy { return lock.WithLock(refusing{d, time.Second}) },
		"waits for ever":      func(_ lock.Entry, d lock.Deps) lock.Strategy { return lock.WithLock(waiting{d.Env.NewSem(0)}) },
		"never lets work end": func(_ lock.Entry, d lock.Deps) lock.Strategy { return hanging{d.Env.NewSem(0)} },
	}
	for _, name := range scenarios.Builtins() {
		s := loaded(t, name)
		if s.Claims {
			s.Strategies = someCases(s.Strategies)
		}
		const seeds = 2
		s.Seeds = seeds // they are enough to decide an expected violation
		for _, kind := range slices.Sorted(maps.Keys(locks)) {
			c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: seeds}, Own: replaced(s, locks[kind])})
			if c.Verdict == results.Pass {
				t.Errorf("%s: a lock that %s passes", name, kind)
			}
			for _, st := range c.Strategies {
				holds := st.Decides && (st.Expects == nil || len(st.Expects.Holds) > 0)
				if holds && st.Expected == results.AsExpected {
					t.Errorf("%s, %s: a lock that %s is as expected, with %d of %d finished", name, st.Label, kind, st.Metrics.Finished, st.Metrics.Jobs)
				}
			}
		}
	}
}

func TestRunsWithoutCompetitionAndFaultsArePassesOnlyIfNoCheckIsExpectedToHold(t *testing.T) {
	const once = "sections: 1\neach: [{worker: worker-2, start: 5s}]\n" // worker-1 is done by then
	for _, test := range []struct {
		name, rest string
		want       results.Outcome
	}{
		{"one worker", "workers: 1\nstrategies: [redis]\n", results.Unknown},
		{"one worker, and work without a lock beside it", "workers: 1\nstrategies: [none, redis]\n", results.Unknown},
		{"one after the other", once + "strategies: [redis]\n", results.Unknown},
		{"one worker with a fault", "workers: 1\nstrategies: [redis]\nfaults: [{when: {worker: worker-1, point: acquired}, pause: {for: 10ms}}]\n", results.Pass},
		{"two workers", "strategies: [redis]\n", results.Pass},
		{"one worker whose speed is judged", "workers: 1\nstrategies: [redis]\nexpect: {redis: {finished: \">= 99 %\"}}\n", results.Pass},
		{"a failure that is expected without a fault", "strategies: [none]\nexpect: {none: {violates: [lost-update]}}\n", results.Pass},
		{"work that takes no lock", once + "strategies: [optimistic]\n", results.Pass},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parseText(t, "name: quiet\nduration: 10s\nseeds: 2\nworkload: {kind: counter, hold: 50ms}\nchecks: [lost-update]\n"+test.rest)
			if c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 2}}); c.Verdict != test.want {
				t.Errorf("%s: %s", c.Verdict, c.Summary())
			}
		})
	}
}
