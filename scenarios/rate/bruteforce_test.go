package rate

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/pauselog"
	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

var bruteForce = flag.Bool("bruteforce", false, "compare the estimate with brute force at length; minutes")

// world is a scenario with frequent pauses, so that ordinary runs show the rate that is estimated.
type world struct {
	workers     int
	duration    time.Duration
	every       time.Duration
	median, p99 time.Duration // of the pauses
}

// log returns pauses with the lengths of the world: the quantiles of its distribution, over the time in which a
// process has that many of them.
func (w world) log() (log pauselog.Log, over time.Duration) {
	const pauses = 4000
	d := draw.Dist{Kind: draw.Lognormal, Median: w.median, P99: w.p99}
	for i := range pauses {
		p := d.Quantile((float64(i) + 0.5) / pauses)
		log.Pauses = append(log.Pauses, p)
		over += w.every + p
	}
	log.Kind = pauselog.List
	return log, over
}

// scenario returns the scenario whose ordinary runs have the pauses.
func (w world) scenario(t *testing.T) *scenarios.Scenario {
	log, _ := w.log()
	var lengths []string
	for _, p := range log.Pauses {
		lengths = append(lengths, p.String())
	}
	return runtest.Parse(t, fmt.Sprintf(`
name: world
duration: %v
workers: %d
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 200ms}, think: 100ms}
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis]
checks: [lost-update]
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: %v}, for: {dist: empirical, samples: [%s]}}
`, w.duration, w.workers, w.every, strings.Join(lengths, ", ")))
}

// perRun converts a rate of a year of one lock to the share of runs with a violation.
func (w world) perRun(yearly float64) float64 {
	return 1 - math.Exp(-yearly/results.Year*w.duration.Hours())
}

func (w world) request(seeds results.SeedRange) Request {
	log, over := w.log()
	return Request{File: "log", Log: log, Over: over, Seeds: seeds}
}

// The interval of the estimate overlaps that of ordinary runs with the same pauses. The seeds and the sizes were
// fixed before the first run.
func TestTheEstimateOverlapsBruteForce(t *testing.T) {
	rates := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 60 * time.Second}
	runs, conditional := uint64(6000), uint64(2000)
	if !*bruteForce {
		rates, runs, conditional = rates[1:2], 600, 300
	}
	for _, every := range rates {
		t.Run(every.String(), func(t *testing.T) {
			w := world{3, 20 * time.Second, every, 200 * time.Millisecond, 2 * time.Second}
			s := w.scenario(t)
			y, _, err := Run(context.Background(), s, w.request(results.SeedRange{First: 500_001, Last: 500_000 + conditional}))
			if err != nil {
				t.Fatal(err)
			}
			c := runtest.Campaign(t, s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: runs}})
			violating := c.Strategies[0].Violating
			low, high := stats.Wilson(violating, int(runs))
			of := y.Strategies[0].PerYear
			t.Logf("brute force: %d of %d runs, %.5f (%.5f to %.5f); estimate %.5f (%.5f to %.5f)", violating, runs,
				float64(violating)/float64(runs), low, high, w.perRun(of.Rate), w.perRun(of.Low), w.perRun(of.High))
			if w.perRun(of.Low) > high || w.perRun(of.High) < low {
				t.Error("the intervals do not overlap")
			}
			if violating == 0 {
				t.Error("brute force found no violation, so that nothing was compared")
			}
		})
	}
}

// sides counts violating runs, and those of the runs whose long pause begins early enough that all of its
// effects fall into an ordinary run.
type sides struct{ violating, runs, earlyViolating, early int }

func (s *sides) add(early, violated bool) {
	s.runs++
	if early {
		s.early++
	}
	if violated {
		s.violating++
		if early {
			s.earlyViolating++
		}
	}
}

// A violation in a run with one long pause is as frequent if the pause was placed as if it came by itself: the
// share that is multiplied with the rate of long pauses has no bias.
//
// Registered before the first run: the worlds, the seeds and the numbers below. The natural runs are those of the
// first seeds from 1,000,001 on whose plan has exactly one long pause; the placed runs have the seeds from
// 3,000,001 on. The two shares are compared by Fisher's test at 5 %, for all runs and for those whose long pause begins
// at least settle before the end. Beside them: the mean number of long pauses in 200,000 plans is that of the log within
// 3 standard errors, and no run without a long pause violates the check.
func TestThePlacedPauseHasNoBias(t *testing.T) {
	if !*bruteForce {
		t.Skip("it takes minutes: -bruteforce")
	}
	for _, test := range []struct {
		name        string
		world       world
		runs, short int
	}{
		// The world of the first comparison, in which the estimate was 15 % below brute force.
		{"8 workers for 60s", world{8, 60 * time.Second, 20 * time.Second, 50 * time.Millisecond, time.Second}, 4000, 1000},
		// More violations in shorter runs, so that the same time says more.
		{"3 workers for 20s", world{3, 20 * time.Second, 20 * time.Second, 50 * time.Millisecond, time.Second}, 12000, 4000},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.world.scenario(t)
			r := test.world.request(results.SeedRange{First: 3_000_001, Last: 3_000_000 + uint64(test.runs)})
			e, err := newEstimate(s, r)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.threshold(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := e.prepare(); err != nil {
				t.Fatal(err)
			}
			last := s.Duration - e.settle()
			one, none := e.naturalSeeds(t, test.runs, test.short)
			natural := e.count(t, one, func(seed uint64) (*scenarios.Scenario, bool) {
				return e.judged(s), e.longOf(s, seed)[0].At < last
			})
			var seeds []uint64
			for i := range uint64(test.runs) {
				seeds = append(seeds, r.Seeds.First+i)
			}
			placed := e.count(t, seeds, func(seed uint64) (*scenarios.Scenario, bool) {
				s, p := e.runOf(cell{seed: seed})
				return s, p.at < last
			})
			calm := e.count(t, none, func(uint64) (*scenarios.Scenario, bool) { return e.judged(s), false })
			t.Logf("long from %v, settle %v", e.result.Long.From, e.settle())
			for _, c := range []struct {
				what           string
				x1, n1, x2, n2 int
			}{
				{"all", natural.violating, natural.runs, placed.violating, placed.runs},
				{"early", natural.earlyViolating, natural.early, placed.earlyViolating, placed.early},
			} {
				p1, p2 := float64(c.x1)/float64(c.n1), float64(c.x2)/float64(c.n2)
				error := math.Sqrt((1-p1)/float64(c.x1) + (1-p2)/float64(c.x2))
				p := stats.Fisher(c.x1, c.n1, c.x2, c.n2)
				t.Logf("%s: natural %d of %d, %.4f; placed %d of %d, %.4f; placed/natural %.3f (%.3f to %.3f); %s", c.what,
					c.x1, c.n1, p1, c.x2, c.n2, p2, p2/p1, p2/p1*math.Exp(-1.96*error), p2/p1*math.Exp(1.96*error), stats.PValue(p))
				if p < 0.05 {
					t.Errorf("%s: the shares differ", c.what)
				}
			}
			if calm.violating > 0 {
				t.Errorf("%d of %d runs without a long pause violate the check", calm.violating, calm.runs)
			}
			t.Logf("without a long pause: %d of %d", calm.violating, calm.runs)
			e.compareFrequency(t, s)
		})
	}
}

// longOf returns the long pauses of an ordinary run.
func (e *estimate) longOf(s *scenarios.Scenario, seed uint64) []faults.Step {
	plan := faults.Generate(s.Faults, seed, s.WorkerNames(), s.Duration)
	return slices.DeleteFunc(plan.Steps, func(step faults.Step) bool { return step.For < e.result.Long.From })
}

// naturalSeeds returns the first seeds whose plans have exactly one long pause, and the first with none.
func (e *estimate) naturalSeeds(t *testing.T, ones, nones int) (one, none []uint64) {
	for seed := uint64(1_000_001); len(one) < ones || len(none) < nones; seed++ {
		switch n := len(e.longOf(e.scenario, seed)); {
		case n == 1 && len(one) < ones:
			one = append(one, seed)
		case n == 0 && len(none) < nones:
			none = append(none, seed)
		}
		if seed > 3_000_000 {
			t.Fatal("too few seeds have a long pause")
		}
	}
	return one, none
}

// count executes one run for each seed.
func (e *estimate) count(t *testing.T, seeds []uint64, of func(seed uint64) (s *scenarios.Scenario, early bool)) sides {
	t.Helper()
	var counted sides
	err := run.NewPool(e.scenario, nil, 0, 0).All(context.Background(), int64(len(seeds)), func(i int64) run.Task {
		s, early := of(seeds[i])
		return run.Task{Scenario: s, Use: e.uses[0], Seed: seeds[i], Do: func(r *run.Runner) error {
			trial, err := r.Once(e.uses[0], seeds[i])
			if err != nil {
				return err
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			counted.add(early, trial.Checks(checker.Invalid) != nil)
			return nil
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return counted
}

// compareFrequency compares the number of long pauses in plans with that which follows from the log.
func (e *estimate) compareFrequency(t *testing.T, s *scenarios.Scenario) {
	const plans = 200_000
	found := 0
	for seed := uint64(5_000_001); seed <= 5_000_000+plans; seed++ {
		found += len(e.longOf(s, seed))
	}
	want := e.result.Long.PerHour.Rate * float64(s.Workers) * s.Duration.Hours() * plans
	t.Logf("long pauses in %d plans: %d, by the log %.0f (standard error %.0f)", plans, found, want, math.Sqrt(want))
	if math.Abs(float64(found)-want) > 3*math.Sqrt(want) {
		t.Error("the plans have another number of long pauses than the log says")
	}
}
