package campaign

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

const cased = `
name: cased
duration: 10s
seeds: 4
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 100ms, max: 300ms}, think: 50ms}
lock: {ttl: 500ms, retry: {attempts: unlimited, delay: 50ms}}
strategies: [redis, redis-watchdog, none]
faults:
  - {case: short, class: P, optional: true, pause: {target: each worker, every: 2s, for: 700ms}}
  - {case: long, class: P, optional: true, pause: {target: each worker, every: 2s, for: 2s}}
  - {case: slow, class: D, optional: true, latency: {from: each worker, to: resource, add: 600ms, every: 2s, for: 1s}}
  - {case: odd, optional: true, pause: {target: each worker, every: 3s, for: 1s}}
checks: [lost-update, exclusion, belief]
`

// Of a scenario with cases one failure of each check and class of faults is kept whole,
// the first in the order of the scenario, whatever the runs end in; a case without a
// class is one of its own. Each other has what repeats it.
func TestOneFailureOfEachCheckAndClassKeepsItsHistory(t *testing.T) {
	s := parseText(t, cased)
	var want map[string]string
	for _, jobs := range []int{1, 3} {
		c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 4}, Jobs: jobs})
		got, violated := map[string]string{}, map[string]string{}
		for _, st := range c.Strategies {
			class := st.Class
			if class == "" {
				class = st.Case
			}
			for _, check := range st.Order {
				stats := st.Checks[check]
				if stats.Violating == 0 {
					continue
				}
				if stats.Replay == "" {
					t.Errorf("%s: nothing repeats the first violation of %s", st.Label, check)
				}
				at := class + " " + check
				if violated[at] == "" {
					violated[at] = fmt.Sprint(st.Label, stats.FirstSeed)
				}
			}
			for _, f := range st.Failures {
				at := class + " " + f.Check
				if got[at] != "" || f.Trial == nil || len(f.Trial.History.Events) == 0 {
					t.Errorf("%s is kept twice, or not whole: %s and %s", at, got[at], st.Label)
				}
				got[at] = fmt.Sprint(st.Label, f.Seed)
			}
		}
		if diff := cmp.Diff(violated, got); diff != "" || len(got) < 6 {
			t.Errorf("with %d jobs (-first +kept):\n%s", jobs, diff)
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d jobs keep others (-want +got):\n%s", jobs, diff)
		}
	}
}

// An unexpected violation is kept rather than an expected one.
func TestUnexpectedFailureIsKeptFirst(t *testing.T) {
	s := parseText(t, cased+`
expect:
  none under long: {holds: [lost-update]}
`)
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 4}})
	for _, st := range c.Strategies {
		for _, f := range st.Failures {
			if f.Check == "lost-update" && st.Class == "P" && st.Label != "none under long" {
				t.Errorf("of lost-update the failure of %s is kept", st.Label)
			}
		}
	}
	if c.Verdict != results.Fail {
		t.Errorf("%s", c.Summary())
	}
}

// A campaign with cases that was stopped keeps the same when it is resumed.
func TestResumedCasesKeepTheSame(t *testing.T) {
	s := parseText(t, cased)
	want := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 4}})
	path := filepath.Join(t.TempDir(), "runs")
	for _, stop := range []int{3, 11, 20} {
		ctx, cancel := context.WithCancel(t.Context())
		j := open(t, path, s)
		_, _ = Run(ctx, s, Request{Seeds: results.SeedRange{First: 1, Last: 4}, Journal: j, Progress: func(p Progress) {
			if p.Done == stop {
				cancel()
			}
		}})
		closed(t, j)
	}
	j := open(t, path, s)
	defer closed(t, j)
	if diff := cmp.Diff(shown(t, want), shown(t, campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 4}, Journal: j}))); diff != "" {
		t.Errorf("resumed it differs (-want +got):\n%s", diff)
	}
}

// The two uses belong to one class of faults, and the first of them would be kept rather than the second. Its run has no
// part that shows the violation.
func TestAUseWithoutAStoryDoesNotHideTheStoryOfAnother(t *testing.T) {
	s := parseText(t, cased)
	jobs := run.NewPool(s, nil, 1, time.Minute)
	uses, err := s.Uses(nil, jobs.Own)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) int {
		return slices.IndexFunc(uses, func(u scenarios.Strategy) bool { return u.Case == name })
	}
	first, second := of("short"), of("long")
	seen, unseen := &results.Trial{Seed: 1}, &results.Trial{Seed: 1, Parts: map[string]*results.Trial{}}
	for _, order := range [][]int{{first, second}, {second, first}} {
		c := newCampaign(s, Request{Jobs: 1}, jobs, uses)
		for _, use := range order {
			trial := seen
			if use == first {
				trial = unseen
			}
			if got := c.violates(use, "lost-update", 1, "", trial); got != (use == second) {
				t.Errorf("order %v: use %d is kept: %v", order, use, got)
			}
		}
		if c.failures[second]["lost-update"].trial != seen || !c.complete() {
			t.Errorf("order %v: the story of the second use is hidden, or the campaign is not complete", order)
		}
	}
}
