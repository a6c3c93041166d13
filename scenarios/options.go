package scenarios

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
	"lockquake/scenarios/results"
)

// Option changes how a scenario is run.
type Option func(*options)

type options struct {
	seeds      results.SeedRange // none: those that the scenario asks for
	whole      results.SeedRange // that the seeds are a part of; of a shard these are more
	part       int               // from 1; 0: no shard
	parts      int
	until      float64
	bounds     results.Expect // of a sweep: what every strategy has to keep to
	strategies []string       // labels or names; nil: those of the scenario
	own        map[string]lock.Entry
	jobs       int
	progress   func(Progress)
	trace      io.Writer
	stall      time.Duration
	journal    *Journal // nil: none is kept
}

// WithTrace writes one line for every event of a run to w. It works with
// RunOnce only.
func WithTrace(w io.Writer) Option {
	return func(o *options) { o.trace = w }
}

// WithSeeds runs the seeds from first to last, both included. Without it a
// scenario runs from 1 to its own Seeds.
func WithSeeds(first, last uint64) Option {
	return func(o *options) { o.seeds = results.SeedRange{First: first, Last: last} }
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

// WithBounds lets a sweep hold every strategy to the bounds of an expectation, on
// top of those of the scenario. It goes with [RunSweep] and [Find] only.
func WithBounds(bounds results.Expect) Option {
	return func(o *options) { o.bounds = bounds }
}

// WithShard runs one of several parts of the seeds, counted from 1. The parts are
// ranges, as even as can be; [Merge] puts them together. It does not go with
// WithUntil, which has to see all runs.
func WithShard(part, parts int) Option {
	return func(o *options) { o.part, o.parts = part, parts }
}

// WithJournal keeps every run in a journal as it ends, and carries out only
// those that the journal does not have. A campaign that goes on with the journal
// of one that was stopped comes to the same end as if nothing had happened.
func WithJournal(j *Journal) Option {
	return func(o *options) { o.journal = j }
}

// WithStrategies runs only the named uses of the scenario's strategies, by
// label, or strategies of the catalogue and of the scenario's Own that it does not
// use.
func WithStrategies(names ...string) Option {
	return func(o *options) { o.strategies = names }
}

// WithStrategy adds a strategy of the caller's own under a name, and runs it
// as the scenario would any other, whether the scenario names it or not. The factory
// is called once for each worker of each run. A strategy that a file shall name, or
// several calls shall know, is given to [Parse] or [Load] instead.
func WithStrategy(name string, factory func(lock.Deps) lock.Strategy) Option {
	return func(o *options) {
		o.own[name] = lock.Entry{Name: name, Doc: "the caller's own", New: factory}
	}
}

// WithJobs carries out n runs at once; the default is one a processor.
// The results do not depend on it.
func WithJobs(n int) Option {
	return func(o *options) { o.jobs = n }
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
	return func(o *options) { o.progress = f }
}

// block is after how many seeds a campaign with WithUntil looks at its
// intervals.
const block = 100

// mostSeeds is how many seeds a campaign with WithUntil chooses at most.
const mostSeeds = 10_000_000

// choose settles the seeds.
func (o *options) choose(s *Scenario) error {
	if o.until < 0 || o.until >= 0.5 {
		return fmt.Errorf("until %v: it is more than 0 and less than 0.5", o.until)
	}
	if o.seeds == (results.SeedRange{}) {
		o.seeds = results.SeedRange{First: 1, Last: uint64(s.Seeds)}
		if o.until > 0 {
			blocks := math.Ceil(stats.WilsonNeeds(o.until) / block)
			o.seeds.Last = uint64(min(mostSeeds, max(1, blocks)*block))
		}
	}
	if o.seeds.First > o.seeds.Last {
		return fmt.Errorf("seeds %d to %d: the range is empty", o.seeds.First, o.seeds.Last)
	}
	o.whole = o.seeds
	return o.cut()
}

// ErrShard says that seeds cannot be shared out as asked.
var ErrShard = errors.New("no such shard")

// cut leaves of the seeds those of the shard. The first parts have a seed more
// if it does not come out even.
func (o *options) cut() error {
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
	o.seeds.First += seeds/n*before + min(before, seeds%n)
	o.seeds.Last = o.seeds.First + seeds/n - 1
	if before < seeds%n {
		o.seeds.Last++
	}
	return nil
}

// ask tells the journal which campaign begins.
func (o *options) ask(s *Scenario, uses []Strategy) error {
	asked := journalAsked{Seeds: o.whole, Until: o.until}
	for _, use := range uses {
		asked.Strategies = append(asked.Strategies, use.Label)
	}
	return o.journal.ask(s, asked)
}

// settle applies the options of a call to what holds without them, o.
func settle(s *Scenario, o options, opts []Option) options {
	o.own = map[string]lock.Entry{}
	for _, e := range s.Own {
		o.own[e.Name] = e
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// entries are the strategies of the caller's that the options have.
func (o *options) entries() []lock.Entry {
	var own []lock.Entry
	for _, name := range slices.Sorted(maps.Keys(o.own)) {
		own = append(own, o.own[name])
	}
	return own
}

// pool returns what carries out runs of the scenario under the options.
func (o *options) pool(s *Scenario) *pool {
	return &pool{jobs: o.jobs, own: o.own, stall: o.stall, trace: o.trace, caches: s.caches()}
}
