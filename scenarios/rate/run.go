package rate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/pauselog"
	"lockquake/internal/stats"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// Request selects what Run estimates. The zero value of a field is its default, except of the log.
type Request struct {
	File string       // of the log, as a report names it
	Log  pauselog.Log // the pauses of a process, or of several
	// Over is the time that the log covers; by default what the log says.
	Over  time.Duration
	Locks int    // number of locks like that of the scenario; default 1
	Path  string // where the scenario of the runs will be; "" if it is not written
	Check string // whose violations count; "" for all checks of corruption
	// Seeds are run with each strategy; by default 1 to 1000.
	Seeds results.SeedRange
	// Strategies, Own, Jobs, Stall and Progress are as in [campaign.Request].
	Strategies []string
	Own        []lock.Entry
	Jobs       int
	Stall      time.Duration
	Progress   func(campaign.Progress)
	// Bound is called before the runs if the log has no long pause, and says how little such a log tells; nil: not at all.
	Bound func(text string)
	// Searching is called when the request is accepted and the search for the shortest pause begins; nil: not at all.
	Searching func()
}

const (
	usualSeeds = 1000
	calmShare  = 5 // one in this many seeds has a run without a long pause, too
	// The longest time that a run goes on after its pause. It bounds the lease, and so the length of a run.
	longestSettle = 10 * time.Minute
	// The least number of runs in a stratum, if the seeds suffice: two show whether its pauses do unequal harm.
	leastStratum = 2
)

// Error reports a request that is impossible for its scenario or its log.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// estimate is the state of a Run.
type estimate struct {
	Request
	scenario *scenarios.Scenario
	uses     []scenarios.Strategy
	checks   []string      // whose violations count
	lease    time.Duration // the longest of all uses, as hold and wait; 0 without leases
	shortest time.Duration // of the leases
	hold     time.Duration
	wait     time.Duration // between two requests for a lock that is taken
	doubles  bool          // a use waits longer each time
	result   *results.Yearly

	short, long []time.Duration     // pauses of the log, sorted
	derived     *scenarios.Scenario // of the runs

	mu      sync.Mutex
	tallies []*tally // by use
	done    campaign.Progress
}

// Run estimates how often a year the strategies of a scenario violate a check because of the pauses of a
// log, and returns the scenario of its runs too. When ctx ends it returns the results so far,
// marked as partial, with the cause; or no results if there are none yet. An impossible request is
// an [*Error] or a [*scenarios.SettingError].
func Run(ctx context.Context, s *scenarios.Scenario, r Request) (*results.Yearly, *scenarios.Scenario, error) {
	e, err := newEstimate(s, r)
	if err != nil {
		return nil, nil, err
	}
	if e.Searching != nil {
		e.Searching()
	}
	if err := e.threshold(ctx); err != nil {
		return nil, nil, err
	}
	if err := e.prepare(); err != nil {
		return nil, nil, err
	}
	err = e.run(ctx)
	if _, failed := errors.AsType[*run.Error](err); failed {
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil && e.done.Done == e.done.Total { // the end came too late to stop a run
		err = nil
	}
	if e.result.Partial = err != nil; e.done.Done == 0 && e.result.Partial {
		return nil, nil, err
	}
	if sumErr := e.sum(); sumErr != nil {
		return nil, nil, sumErr
	}
	return e.result, e.derived, err
}

func newEstimate(s *scenarios.Scenario, r Request) (*estimate, error) {
	r.Locks = max(r.Locks, 1)
	if r.Seeds == (results.SeedRange{}) {
		r.Seeds = results.SeedRange{First: 1, Last: usualSeeds}
	}
	e := &estimate{Request: r, scenario: s, result: &results.Yearly{
		Schema: 1, Version: results.Version, Program: s.Program, Scenario: s.Name, Workload: s.Workload.Kind, Overrides: s.OverrideTexts(),
		Path: r.Path, Check: r.Check, Locks: r.Locks, Duration: s.Duration, Seeds: r.Seeds, Replaced: len(s.Faults),
	}}
	if err := e.measured(); err != nil {
		return nil, err
	}
	pool := run.NewPool(s, r.Own, r.Jobs, r.Stall)
	uses, err := s.Uses(r.Strategies, pool.Own)
	if err != nil {
		return nil, err
	}
	runner := &run.Runner{Scenario: s, Own: pool.Own}
	for _, use := range uses {
		if use.Case != "" {
			return nil, &Error{"the scenario " + s.Name + " has cases of faults, and rate puts the pauses of a log in the place of its faults: take a scenario without cases"}
		}
		entry, err := runner.Entry(use.Name)
		if err != nil {
			return nil, err
		}
		e.lease = max(e.lease, s.LongestTTL(entry.Defaults, use))
		retry := s.ParamsOf(entry.Defaults, use, "").Retry
		e.wait, e.doubles = max(e.wait, retry.Delay+retry.Jitter), e.doubles || retry.Doubling
		for _, worker := range s.WorkerNames() {
			e.hold = max(e.hold, longestHold(s.HoldOf(s.WorkloadOf(use), worker)))
			if ttl := s.ParamsOf(entry.Defaults, use, worker).TTL; ttl > 0 && (e.shortest == 0 || ttl < e.shortest) {
				e.shortest = ttl
			}
		}
		e.result.Strategies = append(e.result.Strategies, results.YearlyRate{Name: use.Name, Label: use.Label})
	}
	e.uses, e.result.Processes = uses, len(e.hosts())
	if settle := e.settle(); settle > longestSettle {
		return nil, &Error{fmt.Sprintf("a run would go on for %v after its pause (the longest lease, twice the longest work and 1s), and rate takes at most %v: set a shorter lease or work", settle.Round(time.Millisecond), longestSettle)}
	}
	if err := e.tooShort(e.lowest()); err != nil {
		return nil, err
	}
	if err := e.judge(); err != nil {
		return nil, err
	}
	return e, e.possible()
}

// measured describes the log.
func (e *estimate) measured() error {
	over := cmp.Or(e.Over, e.Log.Span)
	e.result.Log = results.PauseLog{
		File: e.File, Kind: string(e.Log.Kind), Count: len(e.Log.Pauses), Longest: e.Log.Longest(), Over: over, Stated: e.Over > 0,
	}
	if over <= 0 {
		return &Error{e.File + " does not say over how long it was recorded"}
	}
	paused := time.Duration(0)
	for _, p := range e.Log.Pauses {
		paused += p
	}
	if paused >= over {
		return &Error{fmt.Sprintf("the pauses of %s take %v together, and it covers %v", e.File, paused, over)}
	}
	return nil
}

// judge chooses the checks whose violations count.
func (e *estimate) judge() error {
	if e.Check != "" {
		if !slices.Contains(e.scenario.Checks, e.Check) {
			return &scenarios.SettingError{Setting: e.Check, Text: strictyaml.Unknown("check of "+e.scenario.Name, e.Check, e.scenario.Checks)}
		}
		e.checks = []string{e.Check}
		return nil
	}
	for _, check := range e.scenario.Checks {
		if checker.Concerns(check) == checker.Corruption {
			e.checks = append(e.checks, check)
		}
	}
	if e.checks == nil {
		return &Error{"the scenario " + e.scenario.Name + " has no check of corruption"}
	}
	return nil
}

// judged returns a scenario with only the checks that count.
func (e *estimate) judged(s *scenarios.Scenario) *scenarios.Scenario {
	c := *s
	c.Checks, c.Expect, c.Claims = e.checks, nil, false
	return &c
}

func (e *estimate) labels() []string {
	var labels []string
	for _, use := range e.uses {
		labels = append(labels, use.Label)
	}
	return labels
}

// of returns the results of a label.
func (e *estimate) of(label string) *results.YearlyRate {
	i := slices.IndexFunc(e.result.Strategies, func(y results.YearlyRate) bool { return y.Label == label })
	return &e.result.Strategies[i]
}

func (e *estimate) program() string { return cmp.Or(e.result.Program, "lockquake") }

// prepare makes the scenario of the runs.
func (e *estimate) prepare() error {
	e.split()
	y := e.result
	y.Long.Count = len(e.long)
	y.Long.PerHour = *stats.PerExposure(int64(len(e.long)), y.Log.Hours(), 1)
	most := perHour(y.Long.From)
	y.Long.PerHour.High, y.Long.PerHour.AtMost = min(y.Long.PerHour.High, most), min(y.Long.PerHour.AtMost, most)
	if len(e.long) == 0 {
		y.Long.Assumed = assumedLengths * y.Long.From
		if err := e.bounded(); err != nil {
			return err
		}
	}
	e.neglect()
	for range e.uses {
		e.tallies = append(e.tallies, newTally(e.strata()))
	}
	derived, err := e.derive(e.lengths()[0], e.short)
	if err != nil {
		return err
	}
	e.derived, y.Hash = derived, derived.Hash
	return nil
}

// A log of this time or longer is as much as can be expected of a first recording.
const usualLog = 24 * time.Hour

// tooShort returns an error if a log without a pause of at least from says nothing: if as many pauses as it allows, of the
// length of the runs, take more time than there is.
func (e *estimate) tooShort(from time.Duration) error {
	most := stats.PerExposure(0, e.result.Log.Hours(), 1).High
	if from == 0 || e.result.Log.Longest >= from || most <= perHour(assumedLengths*from) {
		return nil
	}
	return &Error{e.lacks(from) + ", which is too short to say how often such a pause comes: record 24h or more"}
}

// lacks says that the log has no pause of at least from.
func (e *estimate) lacks(from time.Duration) string {
	return fmt.Sprintf("%s has no pause of at least %v in %v", e.File, threeDigits(from), threeDigits(e.result.Log.Over))
}

// bounded returns an error if a log without a long pause is too short. Otherwise it says what the log is good for.
func (e *estimate) bounded() error {
	long, over := e.result.Long, e.result.Log.Over
	if err := e.tooShort(long.From); err != nil || e.Bound == nil {
		return err
	}
	text := fmt.Sprintf("%s: the rates are upper bounds, for at most %.3g such pauses an hour", e.lacks(long.From), long.PerHour.High)
	if over < usualLog {
		day := stats.PerExposure(0, usualLog.Hours(), 1).High
		text += fmt.Sprintf("; without one in 24h they are for at most %.2g", day)
	}
	e.Bound(text)
	return nil
}

// perHour returns how many pauses of a length fit into an hour.
func perHour(length time.Duration) float64 { return float64(time.Hour) / float64(length) }

// cell is one run: a use, a seed, and whether it has a long pause.
type cell struct {
	use  int
	seed uint64
	calm bool
}

// run executes the runs, all uses of one seed after each other.
func (e *estimate) run(ctx context.Context) error {
	var active []int
	for use := range e.uses {
		if e.result.Strategies[use].Without == nil {
			active = append(active, use)
		}
	}
	seeds := int64(e.Seeds.Count())
	count := int64(len(active)) * (seeds + (seeds+calmShare-1)/calmShare)
	e.done.Total = int(count)
	pool := run.NewPool(e.derived, e.Own, e.Jobs, e.Stall)
	return pool.All(ctx, count, func(i int64) run.Task {
		at := e.cellOf(active, i)
		s, p := e.runOf(at)
		return run.Task{Scenario: s, Use: e.uses[at.use], Seed: at.seed, Do: func(r *run.Runner) error {
			trial, err := r.Once(e.uses[at.use], at.seed)
			if err == nil {
				e.take(at, p, trial)
			}
			return err
		}}
	})
}

// cellOf returns run number i. Of each calmShare seeds, the first has its runs without a long pause, and then
// each has its run with one.
func (e *estimate) cellOf(active []int, i int64) cell {
	n := int64(len(active))
	block, rest := i/(n*(calmShare+1)), i%(n*(calmShare+1))
	first := e.Seeds.First + uint64(block*calmShare)
	if rest < n {
		return cell{active[rest], first, true}
	}
	rest -= n
	return cell{active[rest%n], first + uint64(rest/n), false}
}

// runOf returns the scenario of one run, and its long pause.
func (e *estimate) runOf(at cell) (*scenarios.Scenario, placed) {
	s, p := e.judged(e.derived), e.place(at.seed)
	s.Faults = slices.Clone(s.Faults[1:])
	if !at.calm {
		s.Duration = e.end(p)
		s.Faults = slices.Insert(s.Faults, 0, p.spec())
	}
	return s, p
}

// end returns when a run with a long pause ends: when the effects of its pause have come to light, but not before the
// last worker starts, since a scenario has no worker that starts after its end.
func (e *estimate) end(p placed) time.Duration {
	end := p.at + p.length + e.settle()
	for _, each := range e.scenario.Each {
		end = max(end, each.Start)
	}
	return end
}

// settle is the time after a pause in which its effects come to light: the next holder of the lock
// ends its work, and one after it.
func (e *estimate) settle() time.Duration { return e.lease + 2*e.hold + time.Second }

// placed is the long pause of a run.
type placed struct {
	at      time.Duration
	length  time.Duration
	worker  string
	stratum int // of the length
}

// strata is the number of strata of the long pauses, from which the seeds take their lengths in turns.
func (e *estimate) strata() int {
	const most = 40
	return max(1, min(most, len(e.lengths()), e.Seeds.Count()/leastStratum))
}

// place draws the long pause of a seed.
func (e *estimate) place(seed uint64) placed {
	stream := draw.New(seed).Stream("rate", "pause").At(0)
	lengths, hosts, strata := e.lengths(), e.hosts(), e.strata()
	stratum := int((seed - e.Seeds.First) % uint64(strata))
	at := time.Duration(stream.Int64N(int64(e.scenario.Duration)))
	host := hosts[stream.Int64N(int64(len(hosts)))]
	share := (float64(stratum) + stream.Open()) / float64(strata)
	return placed{at, e.simulated(lengths[int(share*float64(len(lengths)))]), host, stratum}
}

func (p placed) spec() faults.Spec {
	return faults.Spec{
		At: &p.at, Timing: faults.Timing{For: draw.Fixed(p.length)},
		Fault: &faults.Pause{OnNode: faults.OnNode{Target: p.worker}},
	}
}
