package campaign

import (
	"errors"
	"fmt"
	"math"
	"time"

	"lockquake/internal/stats"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Request says what a campaign carries out. The zero value of a field is its default.
type Request struct {
	// Seeds is the range of the seeds, both ends included; by default from 1 to the
	// scenario's Seeds.
	Seeds results.SeedRange
	// Until stops a strategy once its interval is at most so wide to either side, as a
	// share of 1, which must be between 0 and 0.5. The campaign looks after each block of
	// 100 seeds, so that what is run does not depend on how many runs are carried out at
	// once. Without Seeds it begins at seed 1 and goes on for as long as the widest
	// interval takes.
	//
	// A strategy that stops before the scenario's Seeds leaves it unknown whether a
	// violation that was expected, and not seen, is there.
	Until float64
	// Part is one of several Parts of the seeds, counted from 1; 0 and 0 for all. The parts
	// are ranges, as even as can be; [Merge] puts them together. They do not go with
	// Until, which has to see all runs.
	Part, Parts int
	// Strategies names the uses of the scenario's strategies that are run, by label, or
	// strategies of the catalogue and of the scenario's Own that it does not use; nil for
	// the uses of the scenario.
	Strategies []string
	// Own are further strategies of the caller's. Each is run as the scenario would run
	// any other, whether the scenario names it or not. A strategy that a file shall name
	// is given to scenarios.Parse instead.
	Own []lock.Entry
	// Jobs counts the runs that are carried out at once; by default one a processor. The
	// results do not depend on it.
	Jobs int
	// Stall is the time, in real time, that a run may stay at one event; by default
	// run.DefaultStall.
	Stall time.Duration
	// Progress is called after every run, from one goroutine at a time; nil for nobody.
	Progress func(Progress)
	// Journal keeps every run as it ends, and the campaign carries out only those that the
	// journal does not have. One that goes on with the journal of a campaign that was
	// stopped comes to the same end as if nothing had happened. Nil: none is kept.
	Journal *Journal
}

// Progress is how far a campaign has come.
type Progress struct {
	Done, Total int    // runs; with Until Total is the most there may be, and falls
	Label       string // of the run that has just been done
	Violated    bool
	Recalled    int // of Done, those that a journal had
}

// block is after how many seeds a campaign with Until looks at its
// intervals.
const block = 100

// mostSeeds is how many seeds a campaign with Until chooses at most.
const mostSeeds = 10_000_000

// choose settles the seeds, and returns the whole range that they are a part of.
func (r *Request) choose(s *scenarios.Scenario) (whole results.SeedRange, err error) {
	if r.Until < 0 || r.Until >= 0.5 {
		return whole, fmt.Errorf("until %v: it is more than 0 and less than 0.5", r.Until)
	}
	if r.Seeds == (results.SeedRange{}) {
		r.Seeds = results.SeedRange{First: 1, Last: uint64(s.Seeds)}
		if r.Until > 0 {
			blocks := math.Ceil(stats.WilsonNeeds(r.Until) / block)
			r.Seeds.Last = uint64(min(mostSeeds, max(1, blocks)*block))
		}
	}
	if r.Seeds.First > r.Seeds.Last {
		return whole, fmt.Errorf("seeds %d to %d: the range is empty", r.Seeds.First, r.Seeds.Last)
	}
	whole = r.Seeds
	return whole, r.cut()
}

// ErrShard says that seeds cannot be shared out as asked.
var ErrShard = errors.New("no such shard")

// cut leaves of the seeds those of the shard. The first parts have a seed more
// if it does not come out even.
func (r *Request) cut() error {
	n, seeds := uint64(r.Parts), r.Seeds.Last-r.Seeds.First+1
	switch {
	case r.Part == 0 && r.Parts == 0:
		return nil
	case r.Part < 1 || r.Part > r.Parts:
		return fmt.Errorf("%w: %d of %d", ErrShard, r.Part, r.Parts)
	case r.Until > 0:
		return fmt.Errorf("%w: when to stop depends on all runs, and a shard has a part of them", ErrShard)
	case seeds < n:
		return fmt.Errorf("%w: %d seeds are not enough for %d parts", ErrShard, seeds, n)
	}
	before := uint64(r.Part - 1)
	r.Seeds.First += seeds/n*before + min(before, seeds%n)
	r.Seeds.Last = r.Seeds.First + seeds/n - 1
	if before < seeds%n {
		r.Seeds.Last++
	}
	return nil
}

// ask tells the journal which campaign begins.
func (r *Request) ask(s *scenarios.Scenario, whole results.SeedRange, uses []scenarios.Strategy) error {
	asked := journalAsked{Seeds: whole, Until: r.Until}
	for _, use := range uses {
		asked.Strategies = append(asked.Strategies, use.Label)
	}
	return r.Journal.ask(s, asked)
}
