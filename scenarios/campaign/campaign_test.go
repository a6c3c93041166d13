package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// quick is a scenario that takes no time: two workers, one pause.
const quick = `
name: quick
duration: 5s
seeds: 10
workers: 2
sections: 1
workload: {kind: counter, hold: 100ms}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis, {name: redis-fenced, label: fenced, resource: {fence: reads-writes}}]
each: [{worker: worker-2, start: 50ms}]
faults:
  - when: {worker: worker-1, point: lease-checked}
    pause: {for: 2s}
checks: [linearizable, lost-update, exclusion, belief, fencing]
`

func parseText(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("quick.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loaded(t *testing.T, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func campaignOf(t *testing.T, s *scenarios.Scenario, r Request) *results.Campaign {
	t.Helper()
	if r.Stall == 0 {
		r.Stall = 10 * time.Minute // an emulator on a busy machine may need more than the default
	}
	c, err := Run(context.Background(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func trialOf(t *testing.T, s *scenarios.Scenario, label string, seed uint64) *results.Trial {
	t.Helper()
	trial, err := run.Once(s, run.Request{Label: label, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

// The verdict of a campaign depends on the expectations and on the number of runs.
func TestVerdictDependsOnExpectationsAndRuns(t *testing.T) {
	for _, test := range []struct {
		name   string
		more   string
		seeds  uint64
		want   results.Outcome
		reason string
	}{
		{"as expected", "expect: {redis: {violates: [lost-update]}, fenced: {holds: [lost-update, fencing]}}", 10, results.Pass, ""},
		{"as expected with few seeds", "expect: {redis: {violates: [lost-update]}}", 1, results.Pass, ""},
		{"violated though it should hold", "expect: {redis: {holds: [lost-update]}}", 10, results.Fail, "not expected: redis violated lost-update in 10 of 10 runs, first with seed 1"},
		{"held though it should be violated", "expect: {fenced: {violates: [lost-update]}}", 10, results.Fail, "not expected: fenced did not violate lost-update in 10 runs"},
		{"held, with too few seeds to say so", "expect: {fenced: {violates: [lost-update]}}", 9, results.Unknown, "unknown: fenced did not violate lost-update in 9 runs; it takes 10 to tell"},
		{"no expectation at all", "", 10, results.Fail, "not expected: redis violated lost-update, exclusion, linearizable in 10 of 10 runs"},
		{"a violation without an entry, where another has one", "expect: {fenced: {holds: [exclusion]}}", 10, results.Pass, ""},
		{"nothing to judge is no pass", "expect: {redis: {holds: [fencing]}}", 10, results.Unknown, "unknown: fencing is expected to hold for redis, and has nothing to judge"},
		{"belief decides only when named", "expect: {fenced: {holds: [belief]}}", 10, results.Fail, "not expected: fenced violated belief"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := campaignOf(t, parseText(t, quick+test.more), Request{Seeds: results.SeedRange{First: 1, Last: test.seeds}})
			if c.Verdict != test.want || !strings.Contains(strings.Join(c.Reasons, "\n"), test.reason) {
				t.Errorf("%s, want %s with %q", c.Summary(), test.want, test.reason)
			}
		})
	}
}

// A lock that lets no worker in violates hardly any check. That is no pass.
func TestLockThatGrantsNothingIsNoPass(t *testing.T) {
	never := func(lock.Deps) lock.Strategy {
		return broken(func(context.Context, lock.Body) error { return lock.ErrNotObtained })
	}
	for _, test := range []struct {
		name, more string
		want       results.Outcome
		reason     string
	}{
		{"nothing is expected", "", results.Unknown, "unknown: mine finished 0 of 20, so nothing was tested"},
		{"something holds", "expect: {mine: {holds: [progress, errors]}}", results.Unknown, "unknown: mine finished 0 of 20, so nothing was tested"},
		{"it violates nothing", "expect: {mine: {violates: [progress]}}", results.Fail, "not expected: mine did not violate progress"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.NewReplacer("strategies: [redis, ", "strategies: [mine, ", "checks: [", "checks: [progress, errors, ").Replace(quick)
			text = strings.Replace(text, "    pause", "    optional: true\n    pause", 1)
			s, err := scenarios.Parse("quick.yaml", []byte(text+test.more), lock.Entry{Name: "mine", New: never})
			if err != nil {
				t.Fatal(err)
			}
			c, err := Run(context.Background(), s, Request{Strategies: []string{"mine"}})
			if err != nil {
				t.Fatal(err)
			}
			if c.Verdict != test.want || !strings.Contains(strings.Join(c.Reasons, "\n"), test.reason) {
				t.Errorf("%s, want %s with %q", c.Summary(), test.want, test.reason)
			}
		})
	}
}

// A pass names those that violate something of which nothing was expected.
func TestSummaryNamesStrategiesWithoutAnExpectation(t *testing.T) {
	c := campaignOf(t, parseText(t, quick+"expect: {fenced: {holds: [exclusion]}}"), Request{Seeds: results.SeedRange{First: 1, Last: 3}})
	if got, want := c.Summary(), "as expected. redis failed in 3 runs; the scenario has no expectation for it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// If the scenario expects nothing of the strategies that ran, their violations decide nothing, and the summary
// does not call them expected.
func TestSummaryOfStrategiesWithoutAnExpectationSaysThatNothingIsExpected(t *testing.T) {
	s := parseText(t, quick+"expect: {fenced: {holds: [exclusion]}}")
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 3}, Strategies: []string{"redis"}})
	if got, want := c.Summary(), "nothing is expected of redis here; a violation decides nothing"; got != want || c.Verdict != results.Pass {
		t.Errorf("%s: %q, want %q", c.Verdict, got, want)
	}
}

// A strategy is chosen by the label of one use, or by its name for all its uses, as
// the scenario has them. None is run twice.
func TestStrategiesAreChosenByLabelOrName(t *testing.T) {
	s := parseText(t, quick)
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"fenced"}, "fenced reads-writes"},
		{[]string{"redis-fenced"}, "fenced reads-writes"},
		{[]string{"redis", "redis-fenced", "fenced", "redis"}, "redis off, fenced reads-writes"},
		{[]string{"redis-del"}, "redis-del off"},
	} {
		uses, err := s.Uses(test.names, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range uses {
			got = append(got, u.Label+" "+s.ResourceOf(u).Fence)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%v chooses %v, want %s", test.names, got, test.want)
		}
	}
}

// A lock that takes its numbers from elsewhere than its Env does not repeat its
// runs, and that is found out.
func TestOwnLockThatDoesNotRepeat(t *testing.T) {
	var calls time.Duration
	c, err := Run(context.Background(), parseText(t, quick), Request{Seeds: results.SeedRange{First: 1, Last: 1}, Jobs: 1, Strategies: []string{"mine"}, Own: []lock.Entry{{Name: "mine", New: func(d lock.Deps) lock.Strategy {
		return broken(func(ctx context.Context, _ lock.Body) error {
			calls++
			return d.Env.Sleep(ctx, calls*time.Millisecond)
		})
	}}}})
	var repeat *run.RepeatError
	if c != nil || !errors.As(err, &repeat) || repeat.Label != "mine" || repeat.Seed != 1 {
		t.Errorf("the campaign ended with %v, %v", c, err)
	}
}

// A scenario whose fault never hits anything does not pass, unless the fault is optional.
func TestFaultThatHitsNothingIsNoPass(t *testing.T) {
	for _, test := range []struct {
		fault string
		seeds uint64
		want  results.Outcome
	}{
		{"  - at: 4s\n    pause: {target: worker-1, for: 100ms}\n", 10, results.Fail},
		{"  - at: 4s\n    optional: true\n    pause: {target: worker-1, for: 100ms}\n", 10, results.Pass},
		{"  - at: 4s\n    pause: {target: worker-1, for: 100ms}\n", 5, results.Unknown},
	} {
		text := strings.Replace(quick, "checks:", test.fault+"checks:", 1)
		text += "expect: {fenced: {holds: [exclusion]}}\n"
		c := campaignOf(t, parseText(t, text), Request{Seeds: results.SeedRange{First: 1, Last: test.seeds}})
		if c.Verdict != test.want {
			t.Errorf("%q with %d seeds: %s, want %s", test.fault, test.seeds, c.Summary(), test.want)
		}
	}
}

// The number of jobs changes nothing.
func TestJobsChangeNothing(t *testing.T) {
	s := parseText(t, quick)
	var texts []string
	for _, jobs := range []int{1, 3} {
		c := campaignOf(t, s, Request{Jobs: jobs})
		text, err := json.MarshalIndent(c, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("one job and three differ:\n%s", diff)
	}
}

// A stopped campaign returns the results so far, marked as partial.
func TestStoppedCampaignIsPartial(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	c, err := Run(ctx, parseText(t, quick), Request{Seeds: results.SeedRange{First: 1, Last: 1000}, Jobs: 1, Progress: func(p Progress) {
		if done = p.Done; p.Done == 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the campaign ended with %v", err)
	}
	if c == nil || !c.Partial || done != 20 || c.Strategies[0].Runs+c.Strategies[1].Runs != 20 {
		t.Errorf("%d runs were done, and the campaign says %+v", done, c)
	}
	if c.Verdict == results.Pass || !strings.Contains(c.Summary(), "stopped after 20 of 2000 runs") {
		t.Errorf("the campaign says %s", c.Summary())
	}
}

// A run that goes on and on does not keep a stopped campaign from ending, and
// what it does later counts no more.
func TestStoppedCampaignLeavesLongRunsBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	free := make(chan struct{})
	long := broken(func(context.Context, lock.Body) error {
		cancel()
		<-free
		return nil
	})
	began := time.Now()
	c, err := Run(ctx, parseText(t, quick), Request{Seeds: results.SeedRange{First: 1, Last: 5}, Jobs: 2, Strategies: []string{"mine"}, Own: []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy { return long }}}})
	took := time.Since(began)
	if !errors.Is(err, context.Canceled) || c == nil || !c.Partial || c.Strategies[0].Runs != 0 {
		t.Errorf("the campaign ended with %v, %+v", err, c)
	}
	if took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	close(free)
}

// broken is a strategy that misbehaves in a way of its own.
type broken func(ctx context.Context, body lock.Body) error

func (b broken) Do(ctx context.Context, _ string, _ lock.Resource, body lock.Body) error {
	return b(ctx, body)
}

func runBroken(t *testing.T, b broken) *run.Error {
	t.Helper()
	c, err := Run(context.Background(), parseText(t, quick), Request{Seeds: results.SeedRange{First: 1, Last: 1}, Own: []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy { return b }}}, Strategies: []string{"mine"}, Stall: time.Second})
	var failed *run.Error
	if c != nil || !errors.As(err, &failed) {
		t.Fatalf("the campaign ended with %v, %v", c, err)
	}
	if failed.Seed != 1 || failed.Label != "mine" {
		t.Errorf("the error names %s, seed %d", failed.Label, failed.Seed)
	}
	return failed
}

func TestPanicInALockIsReported(t *testing.T) {
	err := runBroken(t, func(context.Context, lock.Body) error { panic("my own bug") })
	if !strings.Contains(err.Error(), "my own bug") || !strings.Contains(err.Stack(), "TestPanicInALockIsReported") {
		t.Errorf("%v\n%s", err, err.Stack())
	}
}

func TestHangIsReported(t *testing.T) {
	outside := make(chan struct{})
	defer close(outside)
	err := runBroken(t, func(context.Context, lock.Body) error {
		<-outside
		return nil
	})
	var hang *run.HangError
	if !errors.As(err, &hang) || !strings.Contains(hang.Stacks, "TestHangIsReported") {
		t.Errorf("a lock that waits outside its Env gave %v", err)
	}
}

func TestUnknownStrategyNamesTheNearest(t *testing.T) {
	_, err := Run(context.Background(), parseText(t, quick), Request{Strategies: []string{"fencd"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "fenced"`) {
		t.Errorf("an unknown strategy gave %v", err)
	}
	// One that the scenario does not use, but the catalogue has, is run.
	c, err := Run(context.Background(), parseText(t, quick), Request{Strategies: []string{"redis-watchdog"}, Seeds: results.SeedRange{First: 1, Last: 2}})
	if err != nil || len(c.Strategies) != 1 || c.Strategies[0].Runs != 2 {
		t.Errorf("a strategy of the catalogue gave %v, %v", c, err)
	}
}

// A run that hangs is reported without a campaign, too.
func TestHangOfOneRunIsReported(t *testing.T) {
	outside := make(chan struct{})
	defer close(outside)
	_, err := run.Once(parseText(t, quick), run.Request{Label: "mine", Seed: 1, Own: []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy {
		return broken(func(context.Context, lock.Body) error {
			<-outside
			return nil
		})
	}}}, Stall: time.Second})
	var failed *run.Error
	var hang *run.HangError
	if !errors.As(err, &failed) || !errors.As(err, &hang) || failed.Label != "mine" {
		t.Errorf("it ends with %v", err)
	}
}
