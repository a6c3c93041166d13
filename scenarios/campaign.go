package scenarios

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
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
	seeds      SeedRange // none: those that the scenario asks for
	until      float64
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

// WithUntil stops a strategy once its interval is at most so wide to either
// side, as a share of 1, which must lie between 0 and 0.5. It looks after each
// block of 100 seeds, so that what is run does not depend on how many runs are
// carried out at once. Without WithSeeds a campaign begins at seed 1 and goes
// on for as long as the widest interval takes.
//
// A strategy that stops before the scenario's Seeds leaves it unknown whether
// a violation that was expected, and not seen, is there.
func WithUntil(halfWidth float64) Option {
	return func(o *options) { o.until = halfWidth }
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
	Done, Total int    // runs; with WithUntil Total is the most there may be, and falls
	Label       string // of the run that has just been done
	Violated    bool
}

// WithProgress calls f after every run, from one goroutine at a time.
func WithProgress(f func(Progress)) Option {
	return func(o *options) { o.progress = f }
}

// block is after how many seeds a campaign with WithUntil looks at its
// intervals.
const block = 100

// mostSeeds is how many seeds a campaign with WithUntil chooses at most.
const mostSeeds = 10_000_000

// campaign is a Campaign under way.
type campaign struct {
	scenario *Scenario
	options  options
	uses     []Strategy
	scripts  *redis.ScriptCache

	// Set between two blocks, when no job is at work.
	seeds  SeedRange // of the block at hand
	active []int     // the uses that are run in it

	mu      sync.Mutex
	tallies []*tally            // by use
	first   []map[string]*Trial // by use and check: the lowest seed that violates it
	faults  []FaultStats
	done    int
	due     int // runs at the end of the block
	total   int // runs at the end of the campaign, at most
	err     error
	over    bool // what a run left behind still does counts no more
}

// Run carries out the scenario over its seeds and strategies. When ctx ends
// it gives the runs at hand a moment to end, and returns what was done, marked
// as partial, with the cause. A *RunError is a run that could not be carried
// out; the campaign ends with it.
func Run(ctx context.Context, s *Scenario, opts ...Option) (*Campaign, error) {
	o := options{own: map[string]lock.Entry{}, jobs: runtime.GOMAXPROCS(0), stall: defaultStall}
	for _, opt := range opts {
		opt(&o)
	}
	if err := o.choose(s); err != nil {
		return nil, err
	}
	uses, err := s.uses(o)
	if err != nil {
		return nil, err
	}
	c := newCampaign(s, o, uses)
	for c.begin() && ctx.Err() == nil {
		c.carryOut(ctx)
	}
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	result := c.sum()
	if result.Partial {
		return result, context.Cause(ctx)
	}
	return result, nil
}

// choose settles the seeds.
func (o *options) choose(s *Scenario) error {
	if o.until < 0 || o.until >= 0.5 {
		return fmt.Errorf("until %v: it is more than 0 and less than 0.5", o.until)
	}
	if o.seeds == (SeedRange{}) {
		o.seeds = SeedRange{1, uint64(s.Seeds)}
		if o.until > 0 {
			blocks := math.Ceil(wilsonNeeds(o.until) / block)
			o.seeds.Last = uint64(min(mostSeeds, max(1, blocks)*block))
		}
	}
	if o.seeds.First > o.seeds.Last {
		return fmt.Errorf("seeds %d to %d: the range is empty", o.seeds.First, o.seeds.Last)
	}
	return nil
}

func newCampaign(s *Scenario, o options, uses []Strategy) *campaign {
	c := &campaign{scenario: s, options: o, uses: uses, scripts: redis.NewScriptCache()}
	for i, use := range uses {
		c.active = append(c.active, i)
		c.tallies = append(c.tallies, newTally(s, use, o.seeds.First))
		c.first = append(c.first, map[string]*Trial{})
	}
	for i, spec := range s.Faults {
		c.faults = append(c.faults, FaultStats{Spec: i, Kind: spec.Kind, Optional: spec.Optional})
	}
	return c
}

// begin makes the next block ready, and reports whether there is one: not after
// an error, or a block that was not done. Without WithUntil there is one block.
func (c *campaign) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.options.seeds
	switch {
	case c.err != nil || c.done < c.due:
		return false
	case c.due == 0:
		c.seeds.First = all.First
	case c.seeds.Last == all.Last:
		return false
	default:
		c.seeds.First = c.seeds.Last + 1
		c.active = slices.DeleteFunc(c.active, func(i int) bool { return c.tallies[i].narrow(c.options.until) })
	}
	c.seeds.Last = all.Last
	c.total = c.done + len(c.active)*c.seeds.Count()
	if c.options.until > 0 && c.seeds.Count() > block {
		c.seeds.Last = c.seeds.First + block - 1
	}
	c.due = c.done + len(c.active)*c.seeds.Count()
	return len(c.active) > 0
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
		before := len(chosen)
		for _, u := range all { // every case of it
			if u.Name == name && u.Case != "" {
				chosen = append(chosen, u)
			}
		}
		if len(chosen) > before {
			continue
		}
		if !slices.ContainsFunc(lock.Catalogue(), func(e lock.Entry) bool { return e.Name == name }) {
			return nil, &UnknownStrategyError{Name: name, Scenario: s.Name, Known: knownStrategies(all)}
		}
		chosen = append(chosen, Strategy{Name: name, Label: name})
	}
	return chosen, nil
}

// carryOut does the runs of a block, seed by seed, on all jobs.
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
		fail(&RunError{c.scenario.Name, c.scenario.argument(), c.uses[use].Label, seed, &HangError{c.options.stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}})
		ended()
	})
	defer stop()
	total := int64(len(c.active) * c.seeds.Count())
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= total {
			return
		}
		at.Store(i)
		beat.Add(1)
		use, seed := c.at(i)
		trial, err := r.once(c.uses[use], seed)
		if err != nil {
			fail(err)
			return
		}
		c.keep(use, trial)
	}
}

// at says which run of the block has the number i: all strategies of one seed
// follow each other, so that a campaign cut short compares them on the same
// seeds.
func (c *campaign) at(i int64) (use int, seed uint64) {
	n := int64(len(c.active))
	return c.active[i%n], c.seeds.First + uint64(i/n)
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
func (c *campaign) keep(use int, t *Trial) {
	s := &summary{acquisitions: t.Acquisitions, metrics: t.Metrics, checksum: t.Checksum}
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
		s.results = append(s.results, checker.Result{Check: r.Check, Verdict: r.Verdict, Applies: r.Applies, Count: r.Count})
	}
	for step, b := range t.Bites {
		c.faults[t.Plan.Steps[step].Spec].add(b)
	}
	c.tallies[use].take(t.Seed, s)
	c.done++
	if c.options.progress != nil {
		c.options.progress(Progress{c.done, c.total, t.Label, violated})
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
