package scenarios

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/internal/stall"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/sim/redis"
)

// defaultStall is how long, in real time, a run may stand at one event.
const defaultStall = 20 * time.Second

// grace is how long, in real time, a stopped campaign waits for the runs at
// hand.
const grace = 300 * time.Millisecond

// Option changes how a scenario is run.
type Option func(*options)

type options struct {
	seeds      SeedRange
	strategies []string // labels or names; nil: those of the scenario
	own        map[string]lock.Entry
	jobs       int
	progress   func(Progress)
	trace      io.Writer
	stall      time.Duration
}

// WithTrace writes one line for every event of a run to w. It works with
// RunOnce only.
func WithTrace(w io.Writer) Option {
	return func(o *options) { o.trace = w }
}

// WithSeeds runs the seeds from first to last, both included. Without it a
// scenario runs from 1 to its own Seeds.
func WithSeeds(first, last uint64) Option {
	return func(o *options) { o.seeds = SeedRange{first, last} }
}

// WithStrategies runs only the named uses of the scenario's strategies, by
// label, or strategies of the catalogue that the scenario does not use.
func WithStrategies(names ...string) Option {
	return func(o *options) { o.strategies = names }
}

// WithStrategy adds a strategy of the caller's own under a name, and runs it
// as the scenario would any other. The factory is called once for each worker
// of each run.
func WithStrategy(name string, factory func(lock.Deps) lock.Strategy) Option {
	return func(o *options) {
		o.own[name] = lock.Entry{Name: name, Doc: "the caller's own", New: factory}
	}
}

// WithJobs carries out so many runs at once; the default is one a processor.
// The results do not depend on it.
func WithJobs(n int) Option {
	return func(o *options) { o.jobs = n }
}

// Progress is how far a campaign has come.
type Progress struct {
	Done, Total int
	Label       string // of the run that has just been done
	Violated    bool
}

// WithProgress calls f after every run, from one goroutine at a time.
func WithProgress(f func(Progress)) Option {
	return func(o *options) { o.progress = f }
}

// campaign is a Campaign under way.
type campaign struct {
	scenario *Scenario
	options  options
	uses     []Strategy
	scripts  *redis.ScriptCache

	mu     sync.Mutex
	trials [][]*summary        // by use and seed; nil: not done
	first  []map[string]*Trial // by use and check: the lowest seed that violates it
	done   int
	err    error
	over   bool // what a run left behind still does counts no more
}

// summary is what is kept of every run.
type summary struct {
	results      []checker.Result // without their findings
	acquisitions int64
	metrics      checker.Metrics
	checksum     string
	plan         []planned
}

// planned is what became of one step of the plan.
type planned struct {
	spec           int
	happened, bite bool
}

// Run carries out the scenario over its seeds and strategies. When ctx ends
// it gives the runs at hand a moment to end, and returns what was done, marked
// as partial, with the cause. A *RunError is a run that could not be carried
// out; the campaign ends with it.
func Run(ctx context.Context, s *Scenario, opts ...Option) (*Campaign, error) {
	o := options{seeds: SeedRange{1, uint64(s.Seeds)}, own: map[string]lock.Entry{}, jobs: runtime.GOMAXPROCS(0), stall: defaultStall}
	for _, opt := range opts {
		opt(&o)
	}
	if o.seeds.First > o.seeds.Last {
		return nil, fmt.Errorf("seeds %d to %d: the range is empty", o.seeds.First, o.seeds.Last)
	}
	uses, err := s.uses(o)
	if err != nil {
		return nil, err
	}
	c := &campaign{scenario: s, options: o, uses: uses, scripts: redis.NewScriptCache()}
	for range uses {
		c.trials = append(c.trials, make([]*summary, o.seeds.Count()))
		c.first = append(c.first, map[string]*Trial{})
	}
	c.carryOut(ctx)
	if c.err != nil {
		return nil, c.err
	}
	result := c.sum()
	if result.Partial {
		return result, context.Cause(ctx)
	}
	return result, nil
}

// RunOnce carries out one run of one use of a strategy, and keeps all of it.
func RunOnce(s *Scenario, label string, seed uint64, opts ...Option) (*Trial, error) {
	o := options{own: map[string]lock.Entry{}, strategies: []string{label}}
	for _, opt := range opts {
		opt(&o)
	}
	uses, err := s.uses(o)
	if err != nil {
		return nil, err
	}
	r := &runner{scenario: s, own: o.own, scripts: redis.NewScriptCache(), trace: o.trace}
	return r.once(uses[0], seed)
}

// Count is how many seeds the range holds.
func (r SeedRange) Count() int { return int(r.Last-r.First) + 1 }

// uses returns the uses of strategies that a campaign runs.
func (s *Scenario) uses(o options) ([]Strategy, error) {
	all := slices.Clone(s.Strategies)
	for _, name := range sortedKeys(o.own) {
		if !slices.ContainsFunc(all, func(u Strategy) bool { return u.Name == name }) {
			all = append(all, Strategy{Name: name, Label: name})
		}
	}
	if o.strategies == nil {
		return all, nil
	}
	var chosen []Strategy
	for _, name := range o.strategies {
		i := slices.IndexFunc(all, func(u Strategy) bool { return u.Label == name })
		if i >= 0 {
			chosen = append(chosen, all[i])
			continue
		}
		if !slices.ContainsFunc(lock.Catalogue(), func(e lock.Entry) bool { return e.Name == name }) {
			return nil, &UnknownStrategyError{Name: name, Scenario: s.Name, Known: knownStrategies(all)}
		}
		chosen = append(chosen, Strategy{Name: name, Label: name})
	}
	return chosen, nil
}

// carryOut does the runs, seed by seed, on all jobs.
func (c *campaign) carryOut(stopped context.Context) {
	ctx, cancel := context.WithCancelCause(stopped) //nolint:forbidigo // jobs live in real time, their runs do not
	defer cancel(nil)
	var next atomic.Int64
	var jobs sync.WaitGroup
	var ended []func()
	for range max(1, c.options.jobs) {
		jobs.Add(1)
		ended = append(ended, sync.OnceFunc(jobs.Done))
	}
	defer stall.Grace(stopped, grace, func() {
		for _, end := range ended {
			end()
		}
	})()
	for _, end := range ended {
		go c.job(ctx, cancel, &next, end)
	}
	jobs.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// job takes runs until none is left. A run that hangs cannot be stopped: it
// is reported, and the job counts as ended; so does one that goes on for too
// long when the campaign is stopped.
func (c *campaign) job(ctx context.Context, cancel context.CancelCauseFunc, next *atomic.Int64, ended func()) {
	defer ended()
	var beat atomic.Uint64
	var at atomic.Int64
	r := &runner{scenario: c.scenario, own: c.options.own, scripts: c.scripts, beat: &beat}
	fail := func(err error) {
		c.fail(err)
		cancel(err)
	}
	stop := stall.Watch(&beat, c.options.stall, func() {
		use, seed := c.at(at.Load())
		fail(&RunError{c.scenario.Name, c.scenario.Path, use.Label, seed, &HangError{c.options.stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}})
		ended()
	})
	defer stop()
	total := int64(len(c.uses) * c.options.seeds.Count())
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= total {
			return
		}
		at.Store(i)
		beat.Add(1)
		use, seed := c.at(i)
		trial, err := r.once(use, seed)
		if err != nil {
			fail(err)
			return
		}
		c.keep(i, trial)
	}
}

// at says which run has the number i: all strategies of one seed follow each
// other, so that a campaign cut short compares them on the same seeds.
func (c *campaign) at(i int64) (Strategy, uint64) {
	n := int64(len(c.uses))
	return c.uses[i%n], c.options.seeds.First + uint64(i/n)
}

func (c *campaign) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.over {
		c.err = err
	}
}

// keep takes in a finished run: a summary of each, and whole the first one of
// each strategy that violates a check.
func (c *campaign) keep(i int64, t *Trial) {
	s := &summary{acquisitions: t.Acquisitions, metrics: t.Metrics, checksum: t.Checksum}
	for step, b := range t.Bites {
		s.plan = append(s.plan, planned{t.Plan.Steps[step].Spec, b.Happened, b.Bit})
	}
	use := int(i % int64(len(c.uses)))
	violated, copied := false, false
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	for _, r := range t.Results {
		if r.Verdict == checker.Invalid {
			violated = violated || decides(c.scenario, t.Label, r.Check)
			if first := c.first[use][r.Check]; first == nil || t.Seed < first.Seed {
				if !copied {
					// The events are the runner's own, and the next run's.
					t.History = &history.History{Meta: t.History.Meta, Events: slices.Clone(t.History.Events)}
					copied = true
				}
				c.first[use][r.Check] = t
			}
		}
		s.results = append(s.results, checker.Result{Check: r.Check, Verdict: r.Verdict, Applies: r.Applies})
	}
	c.trials[use][t.Seed-c.options.seeds.First] = s
	c.done++
	if c.options.progress != nil {
		c.options.progress(Progress{c.done, len(c.uses) * c.options.seeds.Count(), t.Label, violated})
	}
}

// HangError is a task that does not yield: it computes for ever, or waits
// for something outside the world.
type HangError struct {
	// After is how long that was watched, in real time.
	After time.Duration
	// Stacks are those of the tasks that do not yield.
	Stacks string
}

func (e *HangError) Error() string {
	return fmt.Sprintf("a task does not yield for %v: it loops, or waits for something that is not its Env's", e.After)
}

// UnknownStrategyError is a strategy that neither the scenario nor the
// catalogue knows.
type UnknownStrategyError struct {
	Name     string
	Scenario string
	Known    []string
}

func (e *UnknownStrategyError) Error() string {
	return fmt.Sprintf("%s: %s", e.Scenario, strictyaml.Unknown("strategy", e.Name, e.Known))
}

func knownStrategies(uses []Strategy) []string {
	var names []string
	for _, u := range uses {
		names = append(names, u.Label)
	}
	for _, e := range lock.Catalogue() {
		names = append(names, e.Name)
	}
	return names
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
