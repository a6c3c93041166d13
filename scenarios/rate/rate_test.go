package rate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/pauselog"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

// The world of calibration-pause, with pauses at any moment of its first 100 ms. Package scenarios/run works out
// that a pause of worker-1 at its lease-checked, at 60.09 ms, loses an update with R = 36.2 %, if its length is
// exponential with a mean m of 500 ms. A pause that begins u earlier must last u longer. So of the
// pauses of worker-1 that begin
//
//   - in the hold of 50 ms, the share R (1 - exp(-50/500)) 500/50 loses an update: R times 47.58 ms;
//   - from the leaving of its read until the hold, R: 2.01 ms. The hold begins after the pause, and u with it;
//   - from the leaving of its SET until then, 4.04 ms, those after which its section and that of worker-2 overlap.
//     From its read to its write each section takes 52.03 ms, so that the pause has 104.06 ms to end in:
//     R (1 - exp(-104.06/500)) = 0.188 R;
//
// and none of the others, and none of worker-2, whose section comes after the 100 ms. Half of all pauses hit worker-1.
func TestTheRateAgreesWithTheClosedForm(t *testing.T) {
	const (
		lost    = 0.362 * (47.58 + 2.01 + 4.04*0.188) / 100 / 2
		pauses  = 4000
		perHour = 0.01
	)
	runs := uint64(6000)
	if testing.Short() {
		runs = 1000
	}
	s, err := runtest.Load(t, "calibration-pause").With([]results.Override{{Path: "duration", Value: "100ms"}})
	if err != nil {
		t.Fatal(err)
	}
	log := pauselog.Log{Kind: pauselog.List}
	d := draw.Dist{Kind: draw.Exponential, Mean: 500 * time.Millisecond}
	for i := range pauses {
		log.Pauses = append(log.Pauses, d.Quantile((float64(i)+0.5)/pauses))
	}
	y, _, err := Run(context.Background(), s, Request{
		File: "log", Log: log, Over: pauses / perHour * time.Hour, Locks: 3, Check: "lost-update", Seeds: results.SeedRange{First: 1, Last: runs},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := y.Strategies[0]
	got, want := r.PerYear.Rate, perHour*lost*2*3*results.Year
	deviation := math.Sqrt((1 - r.Share()) / float64(r.Violating))
	t.Logf("%d of %d runs, %.3f a year (%.3f to %.3f), closed form %.3f, standard error %.1f %%", r.Violating, r.Runs, got, r.PerYear.Low, r.PerYear.High, want, 100*deviation)
	// 1 % for what the closed form leaves out: the way from waking to the write.
	if math.Abs(got/want-1) > 4*deviation+0.01 || r.PerYear.Low > want || r.PerYear.High < want {
		t.Errorf("%.3f violations a year (%.3f to %.3f), the closed form says %.3f", got, r.PerYear.Low, r.PerYear.High, want)
	}
	// The key is gone after 506 ms, and worker-1 has used 60 ms of them at lease-checked.
	if r.Breaks < 430*time.Millisecond || r.Breaks > 480*time.Millisecond || y.Long.From >= r.Breaks {
		t.Errorf("the shortest pause that breaks the lock is %v, and %v counts as long", r.Breaks, y.Long.From)
	}
}

// Logs of 500 hours are drawn from pauses with a known rate, and each log gives an interval. Of these, 93 to 97 % cover
// the true rate of violations, since the harm of a pause is known here: none below 1.75 s, then rising to 10 % at 2 s. So half of the pauses that count as long are harmless, and an
// interval from their number alone would be too narrow. Twice the interval, such as the product of two intervals of
// 97.5 %, covers it in all of the logs, and is too wide.
func TestTheIntervalsOfDrawnLogsCoverTheTrueRate(t *testing.T) {
	const (
		hours   = 500
		perHour = 0.04 // long pauses
		from    = 1600 * time.Millisecond
		mean    = 400 * time.Millisecond // by which they are longer
		logs    = 1000
		runs    = 1000
	)
	harm := func(d time.Duration) float64 {
		return 0.1 * min(1, max(0, float64(d-1750*time.Millisecond)/float64(250*time.Millisecond)))
	}
	// The mean of harm over an exponential length: 0.1 (m/w) (exp(-a/m) - exp(-(a+w)/m)), a and w being 150 and 250 ms.
	truth := perHour * 0.1 * 400 / 250 * (math.Exp(-150.0/400) - math.Exp(-400.0/400))
	s := runtest.Load(t, "gc-pause")
	random := rand.New(rand.NewPCG(17, 4))
	covered, below, above := 0, 0, 0
	for range logs {
		var long []time.Duration
		for at := random.ExpFloat64() / perHour; at < hours; at += random.ExpFloat64() / perHour {
			long = append(long, from+time.Duration(random.ExpFloat64()*float64(mean)))
		}
		slices.Sort(long)
		e := &estimate{Request: Request{Seeds: results.SeedRange{First: 1, Last: runs}}, scenario: s, long: long, result: &results.Yearly{}}
		count := newTally(e.strata())
		for seed := uint64(1); seed <= runs; seed++ {
			p := e.place(seed)
			count.runs[p.stratum]++
			if random.Float64() < harm(p.length) {
				count.violating[p.stratum]++
			}
		}
		switch r := causes(count.violating, count.runs, len(long), hours).PerExposure(); {
		case r.High < truth:
			below++
		case r.Low > truth:
			above++
		default:
			covered++
		}
	}
	t.Logf("%d of %d intervals cover the rate, %d are below it and %d above it", covered, logs, below, above)
	if covered < 93*logs/100 || covered > 97*logs/100 {
		t.Errorf("%d of %d intervals cover the rate, and not 93 to 97 of 100", covered, logs)
	}
}

const small = `
name: small
duration: 5s
workers: 2
workload: {kind: counter, hold: 100ms, think: 100ms}
network: {latency: 1ms}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 20ms, jitter: 0s}}
strategies: [redis, {name: redis-fenced, label: fenced, resource: {fence: reads-writes}}, none]
faults:
  - pause: {target: each worker, every: 1s, for: 10ms}
  - at: 1s
    crash: {target: worker-1, for: 1s}
checks: [lost-update, exclusion, progress]
expect: {redis: {violates: [lost-update]}, fenced: {holds: [exclusion]}}
`

// measured returns a log of 100 hours with these pauses.
func measured(pauses ...time.Duration) Request {
	return Request{File: "log", Log: pauselog.Log{Kind: pauselog.List, Pauses: pauses}, Over: 100 * time.Hour, Seeds: results.SeedRange{First: 1, Last: 60}}
}

// The longest of the pauses that are taken as harmless is below the lease of 1 s, less the work of 100 ms.
func TestALongPauseIsOneThatCanOutlastTheLease(t *testing.T) {
	y, s, err := Run(context.Background(), runtest.Parse(t, small), measured(3*time.Second, 2*time.Second, 500*time.Millisecond, 20*time.Millisecond, time.Microsecond))
	if err != nil {
		t.Fatal(err)
	}
	if y.Long.From < 700*time.Millisecond || y.Long.From > 900*time.Millisecond || y.Long.Count != 2 || y.Short.Count != 2 {
		t.Errorf("long from %v: %d, and %d short ones", y.Long.From, y.Long.Count, y.Short.Count)
	}
	redis, fenced, none := y.Strategies[0], y.Strategies[1], y.Strategies[2]
	if redis.Breaks == 0 || redis.Violating == 0 || redis.PerYear.Low <= 0 || redis.CalmViolating > 0 || redis.Calm != 12 {
		t.Errorf("redis: %+v", redis)
	}
	if fenced.Breaks != 0 || fenced.Unbroken != 3*time.Second || fenced.Violating != 0 || fenced.PerYear.AtMost <= 0 || fenced.Hit == 0 {
		t.Errorf("fenced: %+v", fenced)
	}
	if !slices.Contains(none.Without, "lost-update") || none.Runs != 0 || none.PerYear != nil {
		t.Errorf("none: %+v", none)
	}
	for _, d := range y.Long.Tested {
		if d < y.Long.From/2-time.Millisecond || d > y.Long.From {
			t.Errorf("%v was tested for a threshold of %v", d, y.Long.From)
		}
	}
	if len(s.Faults) != 2 || len(s.Expect) != 0 || y.Replaced != 2 {
		t.Errorf("the runs have the faults %v and the expectations %v", s.Faults, s.Expect)
	}
}

// The same log and seeds give the same figures with any number of runs at a time.
func TestAnEstimateIsTheSameOnAnyNumberOfCores(t *testing.T) {
	var all []*results.Yearly
	for _, jobs := range []int{1, 3} {
		r := measured(2 * time.Second)
		r.Jobs, r.Strategies = jobs, []string{"redis"}
		y, _, err := Run(context.Background(), runtest.Parse(t, small), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, y)
	}
	if a, b := all[0].Strategies[0], all[1].Strategies[0]; a.Violating != b.Violating || a.FirstSeed != b.FirstSeed || *a.PerYear != *b.PerYear {
		t.Errorf("%+v, and then %+v", a, b)
	}
}

// The tail of a log is not extrapolated: without a long pause the rate has an upper bound only, from -ln(2.5 %) = 3.69
// pauses in 100 hours.
func TestALogWithoutALongPauseGivesABound(t *testing.T) {
	r := measured(20 * time.Millisecond)
	r.Strategies = []string{"redis"}
	y, _, err := Run(context.Background(), runtest.Parse(t, small), r)
	if err != nil {
		t.Fatal(err)
	}
	redis := y.Strategies[0]
	if y.Long.Count != 0 || y.Long.Assumed != 10*y.Long.From || redis.Violating == 0 || redis.PerYear.Rate != 0 || redis.PerYear.Low != 0 {
		t.Fatalf("%+v\n%+v", y.Long, redis)
	}
	// The bound of the share is above the share itself, and at most 1.
	least, most := 3.68/100*2*results.Year*redis.Share(), 3.69/100*2*results.Year
	if redis.PerYear.AtMost < least || redis.PerYear.AtMost > most {
		t.Errorf("at most %v a year, and it should be between %v and %v", redis.PerYear.AtMost, least, most)
	}
}

// From 0.8 s on a pause is long here, and the runs have pauses of 8 s: 450 of them fit into an hour. A log of 20 s without
// one allows 3.69 x 180 = 664 an hour, and one of 10 minutes 3.69 x 6 = 22.
func TestALogThatAllowsMorePausesThanFitIntoAnHourIsRefused(t *testing.T) {
	said := ""
	estimate := func(over time.Duration) (*results.Yearly, error) {
		r := measured(20 * time.Millisecond)
		r.Strategies, r.Over, r.Bound = []string{"redis"}, over, func(text string) { said += text }
		y, _, err := Run(context.Background(), runtest.Parse(t, small), r)
		return y, err
	}
	y, err := estimate(20 * time.Second)
	if impossible, _ := errors.AsType[*Error](err); y != nil || impossible == nil ||
		!regexp.MustCompile(`^log has no pause of at least \d+ms in 20s, which is too short to say how often such a pause comes: record 24h or more$`).MatchString(err.Error()) {
		t.Errorf("20 s: %v", err)
	}
	if _, err = estimate(10 * time.Minute); err != nil {
		t.Fatal(err)
	}
	if want := "in 10m0s: the rates are upper bounds, for at most 22.1 such pauses an hour; without one in 24h they are for at most 0.15"; !strings.HasSuffix(said, want) {
		t.Errorf("said %q, want %q at its end", said, want)
	}
}

// A process whose pauses take at least 0.7 s has at most 5,143 an hour. One pause in 4 s allows 5.57 x 900 = 5,014 at
// 97.5 %; three allow 8.77 x 900 = 7,891.
func TestNoBoundHasMorePausesThanFitIntoAnHour(t *testing.T) {
	r := measured(time.Second, time.Second, time.Second)
	r.Strategies, r.Over = []string{"redis", "fenced"}, 4*time.Second
	y, _, err := Run(context.Background(), runtest.Parse(t, small), r)
	if err != nil {
		t.Fatal(err)
	}
	most := float64(time.Hour) / float64(y.Long.From)
	if y.Long.PerHour.High > most || most > 5143 {
		t.Errorf("at most %v pauses of at least %v an hour", y.Long.PerHour.High, y.Long.From)
	}
	for _, r := range y.Strategies {
		if limit := most * 2 * results.Year; r.PerYear.High > limit*(1+1e-5) || r.Most != nil && r.Most.PerHour > most*(1+1e-5) {
			t.Errorf("%s: at most %v a year of %v pauses: %+v", r.Label, r.PerYear.High, limit, r.Most)
		}
	}
}

// A log with a pause that is long and yet too short to break the lock tells no more of the longer ones than a log
// without a long pause: at most -ln(2.5 %) = 3.6889 of them in 100 hours, and each of them may be a violation.
func TestAPauseThatBreaksNothingGivesNoSmallerBoundThanNone(t *testing.T) {
	estimate := func(pause time.Duration) (*results.Yearly, *results.YearlyRate) {
		r := measured(pause)
		r.Strategies = []string{"redis"}
		y, _, err := Run(context.Background(), runtest.Parse(t, small), r)
		if err != nil {
			t.Fatal(err)
		}
		return y, &y.Strategies[0]
	}
	_, quiet := estimate(20 * time.Millisecond)
	y, redis := estimate(quiet.Breaks * 95 / 100)
	if y.Long.Count != 1 || redis.Violating != 0 || redis.Most == nil || redis.Most.Causes != 0 || redis.Most.Runs != 0 {
		t.Fatalf("%d long pauses, %d violating runs, factors %+v", y.Long.Count, redis.Violating, redis.Most)
	}
	if want := 3.6889 / 100 * 2 * results.Year; redis.PerYear.AtMost < quiet.PerYear.AtMost || math.Abs(redis.PerYear.AtMost/want-1) > 1e-4 {
		t.Errorf("at most %v, and %v without a long pause; want %v", redis.PerYear.AtMost, quiet.PerYear.AtMost, want)
	}
}

// If runs fail without a long pause, the share of the runs with one is not the work of long pauses alone.
func TestALockThatFailsWithoutALongPauseHasNoRate(t *testing.T) {
	for _, broken := range []int{0, 1} {
		e := &estimate{result: &results.Yearly{Locks: 1, Processes: 2, Log: results.PauseLog{Over: time.Hour}, Strategies: make([]results.YearlyRate, 1)}}
		e.long = []time.Duration{time.Second}
		e.tallies = []*tally{{runs: []int{10}, violating: []int{3}, calm: 5, broken: broken}}
		if err := e.sum(); err != nil {
			t.Fatal(err)
		}
		if y := e.result.Strategies[0]; (y.PerYear == nil) != (broken > 0) || y.CalmViolating != broken {
			t.Errorf("%d of 5 calm runs violate a check: %+v", broken, y)
		}
	}
}

// A pause of 100 hours does what one of ten leases does. The description of the log keeps its length.
func TestARunDoesNotLastAsLongAsTheLongestPauseOfALog(t *testing.T) {
	r := measured(100 * time.Hour)
	r.Over, r.Strategies = 10_000*time.Hour, []string{"redis"}
	y, s, err := Run(context.Background(), runtest.Parse(t, small), r)
	if err != nil {
		t.Fatal(err)
	}
	if y.Long.Capped != 10*time.Second || y.Log.Longest != 100*time.Hour || y.Strategies[0].Violating == 0 {
		t.Errorf("%+v, %+v, %+v", y.Long, y.Log, y.Strategies[0])
	}
	if got := s.Faults[0].For.Value; got != 10*time.Second {
		t.Errorf("the runs have pauses of %v", got)
	}
}

// A threshold that is too high is lowered below the pause that broke the lock, and the report has that pause.
func TestALoweredThresholdHasThePauseThatLoweredIt(t *testing.T) {
	r := measured(2 * time.Second)
	r.Strategies = []string{"redis"}
	e, err := newEstimate(runtest.Parse(t, small), r)
	if err != nil {
		t.Fatal(err)
	}
	y, long := &e.result.Strategies[0], &e.result.Long
	y.Breaks, y.At, long.From = 3*time.Second, "elsewhere", 2700*time.Millisecond
	if err := e.test(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !long.Lowered || y.Breaks >= 2700*time.Millisecond || long.From != threeDigits(y.Breaks*9/10) || !strings.Contains(y.At, "pause") {
		t.Errorf("long from %v, broken by %v at %q", long.From, y.Breaks, y.At)
	}
}

// An estimate that is stopped has the runs so far.
func TestAStoppedEstimateIsPartial(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r := measured(2 * time.Second)
	r.Jobs, r.Strategies = 1, []string{"redis"}
	r.Progress = func(p campaign.Progress) {
		if p.Done == 10 {
			stop()
		}
	}
	y, _, err := Run(ctx, runtest.Parse(t, small), r)
	if !errors.Is(err, context.Canceled) || y == nil || !y.Partial {
		t.Fatalf("%+v, %v", y, err)
	}
	// Of the first ten runs, every sixth is one without a long pause: seeds 1 and 6.
	if redis := y.Strategies[0]; redis.Runs != 8 || redis.Calm != 2 {
		t.Errorf("%d runs, and %d without a long pause", redis.Runs, redis.Calm)
	}
}

func TestAnImpossibleEstimateIsRefusedBeforeTheSearch(t *testing.T) {
	for _, test := range []struct {
		name, text string
		request    func(*Request)
		want       string
	}{
		{"no length of the log", small, func(r *Request) { r.Over = 0 }, "log does not say over how long it was recorded"},
		{"pauses longer than the log", small, func(r *Request) {
			r.Over, r.Log.Pauses = time.Second, []time.Duration{600 * time.Millisecond, 600 * time.Millisecond}
		}, "the pauses of log take 1.2s together, and it covers 1s"},
		{"a log of seconds without a pause of a third of the lease", small, func(r *Request) {
			r.Over, r.Log.Pauses = 12*time.Second, []time.Duration{332 * time.Millisecond}
		}, "log has no pause of at least 333ms in 12s, which is too short to say how often such a pause comes: record 24h or more"},
		// A pause of 100 ms is short with any threshold from 333 ms to 3 s. 1,001 in 300 s are more than 100,000 in 10 hours.
		{"more short pauses than a run can have", strings.Replace(small, "duration: 5s", "duration: 10h", 1), func(r *Request) {
			r.Over, r.Log.Pauses = 300*time.Second, slices.Repeat([]time.Duration{100 * time.Millisecond}, 1001)
		}, "the runs of small cannot have the pauses of log: faults[1].pause.every: too short, the fault would fall more than 100000 times in 10h0m0s"},
		{"unknown check", small, func(r *Request) { r.Check = "exclusions" }, `exclusions: unknown check of small "exclusions"; did you mean "exclusion"?`},
		{"no check of corruption", strings.ReplaceAll(small, "[lost-update, exclusion, progress]\nexpect: {redis: {violates: [lost-update]}, fenced: {holds: [exclusion]}}", "[progress]"), func(*Request) {}, "the scenario small has no check of corruption"},
		{"a lease that is too long to simulate", strings.ReplaceAll(small, "ttl: 1s", "ttl: 20m"), func(*Request) {}, "a run would go on for 20m1.2s after its pause (the longest lease, twice the longest work and 1s), and rate takes at most 10m0s"},
		{"cases", strings.Replace(small, "  - pause:", "  - case: paused\n    pause:", 1), func(r *Request) { r.Strategies = nil }, "the scenario small has cases of faults"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := test.text
			if test.name == "cases" {
				text = text[:strings.Index(text, "expect:")]
			}
			r := measured(2 * time.Second)
			r.Strategies, r.Searching = []string{"redis"}, func() { t.Error("the search begins") }
			test.request(&r)
			y, _, err := Run(context.Background(), runtest.Parse(t, text), r)
			impossible, _ := errors.AsType[*Error](err)
			setting, _ := errors.AsType[*scenarios.SettingError](err)
			if y != nil || impossible == nil && setting == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// A third of the shorter lease is 333 ms, and pauses of ten times as much fit into an hour 1,080 times. A log of 5 minutes
// without one allows 3.69 x 12 = 44 an hour. Of a third of the longer lease, 10 s, 36 fit into an hour.
func TestALogIsLongEnoughForTheShortestLease(t *testing.T) {
	text := strings.Replace(small, "strategies: [redis,", "strategies: [redis, {name: redis, label: slow, lock: {ttl: 30s}},", 1)
	for _, test := range []struct {
		strategies []string
		want       string
	}{
		{[]string{"redis", "slow"}, ""},
		{[]string{"slow"}, "log has no pause of at least 10s in 5m0s, which is too short to say how often such a pause comes: record 24h or more"},
	} {
		r := measured(20 * time.Millisecond)
		r.Strategies, r.Over = test.strategies, 5*time.Minute
		_, err := newEstimate(runtest.Parse(t, text), r)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.strategies, got, test.want)
		}
	}
}

// A file has at most 400,000 lengths and other nodes. 250 processes have 400 lengths each, and not 2,000.
func TestALogOfManyPausesFitsIntoTheRunsOfManyProcesses(t *testing.T) {
	text := strings.Replace(small, "workers: 2", "workers: 250\nprocesses: 250", 1)
	text = strings.Replace(text, "  - at: 1s\n    crash: {target: worker-1, for: 1s}\n", "", 1)
	r := measured()
	for i := range 20_000 {
		r.Log.Pauses = append(r.Log.Pauses, 50*time.Millisecond+time.Duration(i)*1001)
	}
	e, err := newEstimate(runtest.Parse(t, text), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.derive(time.Second, r.Log.Pauses)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Faults[250].For.Samples); len(s.Faults) != 251 || n != 400 {
		t.Errorf("%d faults, and %d lengths in the last", len(s.Faults), n)
	}
}

// The logs of many processes add up to more than ten years, the longest mean of a distribution. One pause of 50 ms in
// 20 years of a process is then one in ten years.
func TestALogOfManyProcessesMayCoverDecades(t *testing.T) {
	r := measured(2*time.Second, 50*time.Millisecond)
	r.Over = 2 * draw.Longest
	e, err := newEstimate(runtest.Parse(t, small), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.derive(2*time.Second, []time.Duration{50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Faults[1].Every.Mean; got != draw.Longest {
		t.Errorf("the mean time between two pauses is %v", got)
	}
}

// The replay of a run is a scenario of its own, and a scenario has no worker that starts after its end.
func TestARunLastsUntilTheLastWorkerStarts(t *testing.T) {
	text := strings.Replace(small, "workers: 2", "workers: 3\neach: [{worker: worker-3, start: 50s}]", 1)
	r := measured(2 * time.Second)
	r.Strategies, r.Path, r.Seeds.Last = []string{"redis"}, "scenario.yaml", 20
	y, _, err := Run(context.Background(), runtest.Parse(t, strings.Replace(text, "duration: 5s", "duration: 60s", 1)), r)
	if err != nil {
		t.Fatal(err)
	}
	if redis := y.Strategies[0]; redis.Violating == 0 || !strings.Contains(redis.Replay, "duration=50s") {
		t.Errorf("%d violating runs, the first is %s", redis.Violating, redis.Replay)
	}
}

// Three short pauses of 3, 4 and 6: with a long one from 8 on, the pairs 3+6, 4+4, 4+6, 6+3, 6+4 and 6+6 are long together.
func TestPairsOfShortPausesThatAreLongTogetherAreCounted(t *testing.T) {
	if got := shortPairs([]time.Duration{3, 4, 6, 9}, 8); got != 6 {
		t.Errorf("%d pairs", got)
	}
	if got := shortPairs([]time.Duration{3, 3, 3}, 8); got != 0 {
		t.Errorf("%d pairs of pauses that are short together", got)
	}
}

// Two strata with 5 of 10 and 0 of 10: the square of the first share is estimated by 5 x 4 / (10 x 9) = 0.2222, the
// mean of the squares by half of that, and the square of the mean share is 0.0625.
func TestTheDispersionOfUnequalPausesIsAboveOne(t *testing.T) {
	for _, test := range []struct {
		violating, runs []int
		want            float64
	}{
		{[]int{5, 0}, []int{10, 10}, 1.77778},
		{[]int{5, 5}, []int{10, 10}, 1},
		{[]int{0, 0}, []int{10, 10}, 1},
		// No stratum has two runs to compare, so that one of the two long pauses may do all the harm.
		{[]int{1, 1}, []int{1, 1}, 2},
	} {
		if got := causes(test.violating, test.runs, 2, 1).Dispersion; got != test.want {
			t.Errorf("%v of %v: %v, want %v", test.violating, test.runs, got, test.want)
		}
	}
}
