package campaign

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"lockquake/internal/stats"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// Option changes how a scenario is run.
type Option func(*Options)

// Options are those of one call.
type Options struct {
	Seeds      results.SeedRange // none: those that the scenario asks for
	whole      results.SeedRange // that the seeds are a part of; of a shard these are more
	part       int               // from 1; 0: no shard
	parts      int
	until      float64
	Bounds     results.Expect // of a sweep: what every strategy has to keep to
	Strategies []string       // labels or names; nil: those of the scenario
	Own        map[string]lock.Entry
	Jobs       int
	Progress   func(Progress)
	trace      io.Writer
	Stall      time.Duration
	journal    *Journal // nil: none is kept
}

// WithTrace writes one line for every event of a run to w. It works with
// RunOnce only.
func WithTrace(w io.Writer) Option {
	return func(o *Options) { o.trace = w }
}

// WithSeeds runs the seeds from first to last, both included. Without it a
// scenario runs from 1 to its own Seeds.
func WithSeeds(first, last uint64) Option {
	return func(o *Options) { o.Seeds = results.SeedRange{First: first, Last: last} }
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
	return func(o *Options) { o.until = halfWidth }
}

// WithBounds lets a sweep hold every strategy to the bounds of an expectation, on
// top of those of the scenario. It goes with [search.Sweep] and [search.Find] only.
func WithBounds(bounds results.Expect) Option {
	return func(o *Options) { o.Bounds = bounds }
}

// WithShard runs one of several parts of the seeds, counted from 1. The parts are
// ranges, as even as can be; [Merge] puts them together. It does not go with
// WithUntil, which has to see all runs.
func WithShard(part, parts int) Option {
	return func(o *Options) { o.part, o.parts = part, parts }
}

// WithJournal keeps every run in a journal as it ends, and carries out only
// those that the journal does not have. A campaign that goes on with the journal
// of one that was stopped comes to the same end as if nothing had happened.
func WithJournal(j *Journal) Option {
	return func(o *Options) { o.journal = j }
}

// WithStrategies runs only the named uses of the scenario's strategies, by
// label, or strategies of the catalogue and of the scenario's Own that it does not
// use.
func WithStrategies(names ...string) Option {
	return func(o *Options) { o.Strategies = names }
}

// WithStrategy adds a strategy of the caller's own under a name, and runs it
// as the scenario would any other, whether the scenario names it or not. The factory
// is called once for each worker of each run. A strategy that a file shall name, or
// several calls shall know, is given to [scenarios.Parse] or [scenarios.Load] instead.
func WithStrategy(name string, factory func(lock.Deps) lock.Strategy) Option {
	return func(o *Options) {
		o.Own[name] = lock.Entry{Name: name, Doc: "the caller's own", New: factory}
	}
}

// WithJobs carries out n runs at once; the default is one a processor.
// The results do not depend on it.
func WithJobs(n int) Option {
	return func(o *Options) { o.Jobs = n }
}

// Progress is how far a campaign has come.
type Progress struct {
	Done, Total int    // runs; with WithUntil Total is the most there may be, and falls
	Label       string // of the run that has just been done
	Violated    bool
	Recalled    int // of Done, those that a journal had
}

// WithProgress calls f after every run, from one goroutine at a time.
func WithProgress(f func(Progress)) Option {
	return func(o *Options) { o.Progress = f }
}

// block is after how many seeds a campaign with WithUntil looks at its
// intervals.
const block = 100

// mostSeeds is how many seeds a campaign with WithUntil chooses at most.
const mostSeeds = 10_000_000

// choose settles the seeds.
func (o *Options) choose(s *scenarios.Scenario) error {
	if o.until < 0 || o.until >= 0.5 {
		return fmt.Errorf("until %v: it is more than 0 and less than 0.5", o.until)
	}
	if o.Seeds == (results.SeedRange{}) {
		o.Seeds = results.SeedRange{First: 1, Last: uint64(s.Seeds)}
		if o.until > 0 {
			blocks := math.Ceil(stats.WilsonNeeds(o.until) / block)
			o.Seeds.Last = uint64(min(mostSeeds, max(1, blocks)*block))
		}
	}
	if o.Seeds.First > o.Seeds.Last {
		return fmt.Errorf("seeds %d to %d: the range is empty", o.Seeds.First, o.Seeds.Last)
	}
	o.whole = o.Seeds
	return o.cut()
}

// ErrShard says that seeds cannot be shared out as asked.
var ErrShard = errors.New("no such shard")

// cut leaves of the seeds those of the shard. The first parts have a seed more
// if it does not come out even.
func (o *Options) cut() error {
	n, seeds := uint64(o.parts), o.whole.Last-o.whole.First+1
	switch {
	case o.part == 0 && o.parts == 0:
		return nil
	case o.part < 1 || o.part > o.parts:
		return fmt.Errorf("%w: %d of %d", ErrShard, o.part, o.parts)
	case o.until > 0:
		return fmt.Errorf("%w: when to stop depends on all runs, and a shard has a part of them", ErrShard)
	case seeds < n:
		return fmt.Errorf("%w: %d seeds are not enough for %d parts", ErrShard, seeds, n)
	}
	before := uint64(o.part - 1)
	o.Seeds.First += seeds/n*before + min(before, seeds%n)
	o.Seeds.Last = o.Seeds.First + seeds/n - 1
	if before < seeds%n {
		o.Seeds.Last++
	}
	return nil
}

// ask tells the journal which campaign begins.
func (o *Options) ask(s *scenarios.Scenario, uses []scenarios.Strategy) error {
	asked := journalAsked{Seeds: o.whole, Until: o.until}
	for _, use := range uses {
		asked.Strategies = append(asked.Strategies, use.Label)
	}
	return o.journal.ask(s, asked)
}

// Settle applies the options of a call to what holds without them, o.
func Settle(s *scenarios.Scenario, o Options, opts []Option) Options {
	o.Own = map[string]lock.Entry{}
	for _, e := range s.Own {
		o.Own[e.Name] = e
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Entries are the strategies of the caller's that the options have.
func (o *Options) Entries() []lock.Entry {
	var own []lock.Entry
	for _, name := range slices.Sorted(maps.Keys(o.Own)) {
		own = append(own, o.Own[name])
	}
	return own
}

// Pool returns what carries out runs of the scenario under the options.
func (o *Options) Pool(s *scenarios.Scenario) *run.Pool {
	return &run.Pool{Jobs: o.Jobs, Own: o.Own, Stall: o.Stall, Trace: o.trace, Caches: scenarios.Caches()}
}
