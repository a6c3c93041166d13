package search

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// Nineteen pauses of eight workers come down to one pause, and the file that
// is left fails the same check.
func TestShrinkGCPause(t *testing.T) {
	s := runtest.Load(t, "gc-pause")
	path := filepath.Join(t.TempDir(), "shrunk.yaml")
	small, err := Shrink(t.Context(), s, ShrinkRequest{Label: "redis", Seed: 1, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	want := Extent{Faults: 1, Length: small.To.Length, Workers: 2, Sections: 2}
	if diff := cmp.Diff(want, small.To); diff != "" {
		t.Errorf("extent (-want +got):\n%s", diff)
	}
	// The pause must outlast what is left of a lease of 2 s, and needs no more
	// than the lease and a second try.
	if small.To.Length < 1500*time.Millisecond || small.To.Length > 2300*time.Millisecond || small.From.Workers != 8 || small.From.Faults != 19 {
		t.Errorf("from %v to %v", small.From, small.To)
	}
	if err := os.WriteFile(path, small.Scenario.Text, 0o600); err != nil {
		t.Fatal(err)
	}
	file := runtest.Load(t, path)
	trial := runtest.Trial(t, file, "redis", small.Seed)
	if violated := trial.Checks(checker.Invalid); !slices.Contains(violated, "lost-update") || small.Check != "lost-update" {
		t.Errorf("shrunk for %s, the file violates %v", small.Check, violated)
	}
	if trial.Replay != small.Trial.Replay {
		t.Errorf("replay line %s, the file's is %s", small.Trial.Replay, trial.Replay)
	}
	c, err := campaign.Run(t.Context(), file, campaign.Request{})
	if err != nil || c.Verdict != results.Pass {
		t.Errorf("the file's own expectation: %v, %s", err, c.Summary())
	}
}

func TestShrinkSameTwice(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	shrink := func() *Shrunk {
		small, err := Shrink(t.Context(), s, ShrinkRequest{Label: "fenced-writes", Seed: 1, Check: "belief", Path: "f.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		return small
	}
	first, second := shrink(), shrink()
	if diff := cmp.Diff(string(first.Scenario.Text), string(second.Scenario.Text)); diff != "" {
		t.Errorf("two files of one run (-1 +2):\n%s", diff)
	}
	if first.Check != "belief" || !slices.Contains(first.Trial.Checks(checker.Invalid), "belief") {
		t.Errorf("shrunk for %s", first.Check)
	}
}

func TestShrinkRefusesARunThatHolds(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	for _, test := range []struct{ label, check, want string }{
		{"fenced", "", "nothing to shrink: kleppmann, fenced, seed 1 violates only checks that do not decide: belief"},
		{"redis", "fencing", "nothing to shrink: kleppmann, redis, seed 1 violates linearizable, lost-update, exclusion, belief and not fencing"},
	} {
		_, err := Shrink(t.Context(), s, ShrinkRequest{Label: test.label, Seed: 1, Check: test.check, Path: "f.yaml"})
		if !errors.Is(err, ErrHolds) || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	if _, _, err := Failing(t.Context(), s, FailingRequest{Strategies: []string{"fenced"}, Seeds: results.SeedRange{First: 1, Last: 3}}); !errors.Is(err, ErrHolds) {
		t.Errorf("error %v of a search for what is not there", err)
	}
	label, seed, err := Failing(t.Context(), s, FailingRequest{Strategies: []string{"fenced", "redis-checked"}})
	if err != nil || label != "redis-checked" || seed != 1 {
		t.Errorf("found %s, seed %d: %v", label, seed, err)
	}
}

func TestStoppedShrinkKeepsWhatItHas(t *testing.T) {
	s := runtest.Load(t, "gc-pause")
	ctx, cancel := context.WithCancel(t.Context())
	successes := 0
	small, err := Shrink(ctx, s, ShrinkRequest{Label: "redis", Seed: 1, Path: "f.yaml", Told: func(Extent) {
		if successes++; successes == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if !small.Partial || checkToKeep(small.Scenario, small.Trial, small.Check) == "" {
		t.Errorf("partial %v, violated %v", small.Partial, small.Trial.Checks(checker.Invalid))
	}
}

// The rewritten file of a scenario has the same meaning as the scenario.
func TestRewrittenBuiltinsRunTheSame(t *testing.T) {
	for _, name := range scenarios.Builtins() {
		s := runtest.Load(t, name)
		if s.Strategies[0].Case != "" {
			continue
		}
		text, err := scenarios.Rewrite(s, "")
		if err != nil {
			t.Fatal(err)
		}
		again, err := scenarios.Parse(name, text)
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, text)
			continue
		}
		label := s.Strategies[len(s.Strategies)-1].Label
		before := runtest.Trial(t, s, label, 1)
		after := runtest.Trial(t, again, label, 1)
		if before.Checksum != after.Checksum {
			t.Errorf("%s gives another run when it is rewritten:\n%s", name, text)
		}
		if diff := cmp.Diff(s.Expect, again.Expect, cmp.AllowUnexported(results.Bound{})); diff != "" {
			t.Errorf("%s: expect (-before +after):\n%s", name, diff)
		}
	}
}

func TestRewrittenScenariosMeanTheSame(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "holds.txt"), []byte("10ms\n20ms\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse(filepath.Join(dir, "f.yaml"), []byte(`# about
name: long
duration: 10s   # not much
workers: 3
sections: 2
workload: {kind: counter, hold: {dist: empirical, file: holds.txt}}
lock: &lock {ttl: 2s}
strategies:
  - name: redis-fenc*
    lock: *lock
  - {name: redis, label: "true", client: {max-retries: 3}}
each:
  - {worker: worker-1, start: 1s}
  - {worker: worker-3, lock: *lock}
faults:
  - latency: {from: each worker, to: lock, add: {dist: uniform, min: 1ms, max: 2ms}, every: 1s, for: 1s}
`))
	if err != nil {
		t.Fatal(err)
	}
	trial := runtest.Trial(t, s, "true", 1)
	var label scenarios.Strategy
	for _, use := range s.Strategies {
		if use.Label == "redis-fenced" {
			label = use
		}
	}
	s.Faults = append(s.Faults[:0], fixed(trial.Plan.Steps[0]))
	s.Strategies = []scenarios.Strategy{label, s.Strategies[len(s.Strategies)-1]}
	s.Expect = map[string]results.Expect{"true": {Holds: []string{"lost-update"}}}
	if !resize(s, []string{"worker-3", "worker-2", "worker-1"}[:1], 0, false) {
		s.Faults = nil // it was one of worker-1
	}
	text, err := scenarios.Rewrite(s, "Small.")
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Small.
name: long
duration: 10s
seeds: 100
workers: 1
workload: {kind: counter, hold: {dist: empirical, samples: [10ms, 20ms]}}
lock: {ttl: 2s}
strategies:
  - name: redis-fenced
    lock: {ttl: 2s}
  - {name: redis, label: "true", client: {max-retries: 3}}
each:
  - {worker: worker-1, lock: {ttl: 2s}}
expect:
  "true": {holds: [lost-update]}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run of one of many cases keeps the faults of its case only.
func TestShrinkOneCase(t *testing.T) {
	s := runtest.Parse(t, `
name: cases
duration: 10s
workload: {kind: counter, hold: 100ms}
sections: 1
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}}
strategies: [{name: redis, label: mine}]
each: [{worker: worker-2, start: 20ms}]
checks: [lost-update]
faults:
  - {case: slow, when: {worker: worker-1, point: acquired}, pause: {for: 1ms}}
  - {case: late, when: {worker: worker-1, point: lease-checked}, pause: {for: 5s}}
`)
	small, err := Shrink(t.Context(), s, ShrinkRequest{Label: "mine under late", Seed: 1, Path: "f.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(small.Scenario.Text)
	if small.Label != "mine" || len(small.Scenario.Faults) != 1 || !strings.Contains(text, "point: lease-checked") || strings.Contains(text, "case:") {
		t.Errorf("%s is left of\n%s", small.Label, text)
	}
}

// Every kind of fault, as a plan has it, can be written into a file and gives
// the same step there.
func TestFixedFaultsCanBeWritten(t *testing.T) {
	s := runtest.Parse(t, `
name: all
duration: 10s
workload: {kind: counter}
strategies: [redis-fenced]
servers: {replicas: 1}
faults:
  - pause: {target: each worker, every: 3s, for: {dist: uniform, min: 1ms, max: 2s}}
  - {at: 1s, stall: {target: worker-1, task: main, for: 1s}}
  - {at: 1s, clock-step: {target: worker-1, by: -3s, for: 1s}}
  - {at: 1s, clock-rate: {target: lock, ppm: -100, for: 1s}}
  - {at: 1s, latency: {from: worker-1, to: lock, add: {dist: uniform, min: 1ms, max: 2ms}, for: 1s}}
  - {at: 1s, loss: {from: worker-1, to: lock, percent: 5, for: 1s}}
  - {at: 1s, overload: {target: lock, service: 2ms, for: 1s}}
  - {at: 1s, crash: {target: lock, data: lost, for: 1s}}
  - {at: 1s, partition: {from: each worker, to: lock, mode: reset, for: 1s}}
  - {at: 1s, evict: {key: "resource-*"}}
  - {at: 1s, failover: {}}
  - {at: 1s, stale: {by: 1s, for: 1s}}
  - {at: 1s, overrun: {target: worker-1, by: 1s, for: 1s}}
  - {when: {worker: worker-1, point: acquire.sent, nth: 2}, error: {text: LOADING now}}
  - {when: {worker: worker-1, point: acquired}, cancel: {}}
  - {when: {worker: worker-2, point: acquire.replied}, drop: {for: 1s}}
`)
	trial := runtest.Trial(t, s, "redis-fenced", 1)
	s.Faults = nil
	for _, step := range trial.Plan.Steps {
		s.Faults = append(s.Faults, fixed(step))
	}
	text, err := scenarios.Rewrite(s, "")
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenarios.Parse("f.yaml", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	after, err := run.Once(again, run.Request{Label: "redis-fenced", Seed: 2}) // another seed draws the same
	if err != nil {
		t.Fatal(err)
	}
	lines := func(text string) string {
		var kept []string
		for line := range strings.Lines(text) {
			kept = append(kept, line[:strings.LastIndex(line, "#")])
		}
		return strings.Join(kept, "\n")
	}
	if diff := cmp.Diff(lines(trial.Plan.String()), lines(after.Plan.String())); diff != "" {
		t.Errorf("plan (-drawn +written):\n%s", diff)
	}
}
