package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"lockquake/internal/stats"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Request selects what a campaign runs. The zero value of a field is its default.
type Request struct {
	// Seeds is the range of the seeds, both ends included; by default from 1 to the
	// scenario's Seeds.
	Seeds results.SeedRange
	// Until stops a strategy when the half-width of its interval is at most Until, a share of 1
	// between 0 and 0.5. The campaign checks this after each block of 100 seeds, so that the runs
	// do not depend on the number of jobs. Without Seeds it begins at seed 1 and runs as many seeds
	// as the widest interval needs.
	//
	// If a strategy stops before the scenario's Seeds, an expected violation that was not seen is
	// unknown.
	Until float64
	// Part is one of several Parts of the seeds, counted from 1; 0 and 0 for all. The parts are
	// ranges of nearly equal size; [Merge] combines them. They cannot be used with Until, which
	// needs all runs.
	Part, Parts int
	// Piece is a part of the seeds that the caller has cut, in place of Part; the zero value for all. A
	// journal of the whole campaign takes the runs of its pieces with [Journal.Import].
	Piece results.SeedRange
	// Strategies names the uses of the scenario's strategies that are run, by label, or
	// strategies of the catalogue and of the scenario's Own that it does not use; nil for
	// the uses of the scenario.
	Strategies []string
	// Own are further strategies of the caller's. Each runs as any other strategy of the scenario,
	// even if the scenario does not name it. A strategy that a file names must be passed to
	// scenarios.Parse instead.
	Own []lock.Entry
	// Jobs is the number of runs in parallel; by default one per processor. The results do not
	// depend on it.
	Jobs int
	// Stall is the time, in real time, that a run may stay at one event; by default
	// run.DefaultStall.
	Stall time.Duration
	// Progress is called after every run, from one goroutine at a time; may be nil.
	Progress func(Progress)
	// Journal stores every run when it ends. In a campaign of more than a million runs, it stores
	// the sums of a block of seeds when its runs have ended. The campaign executes only the runs
	// that the journal does not have. A campaign that is resumed with its journal has the same
	// result as one that was not stopped. Nil: no journal.
	Journal *Journal

	most      int // runs of a campaign that keeps each; 0: mostRuns
	blockRuns int // about the runs of a block of a larger one; 0: blockRuns
}

// mostRuns is the largest number of runs of a campaign that keeps the figures of each. A larger one
// keeps their sums.
const mostRuns = 1_000_000

// blockRuns is about the number of runs of a block of seeds in a campaign that keeps sums: a minute or so
// of work.
const blockRuns = 10_000

// summed reports whether a campaign over these seeds keeps only sums. It is the same for all its parts.
func (r *Request) summed(whole results.SeedRange, uses int) bool {
	runs := (float64(whole.Last-whole.First) + 1) * float64(uses)
	return runs > float64(cmp.Or(r.most, mostRuns))
}

// Progress counts the finished runs of a campaign.
type Progress struct {
	Done, Total int    // runs; with Until, Total is an upper bound that decreases
	Label       string // of the run that has just ended
	Violated    bool
	Requests    int64 // that the run sent
	Recalled    int   // of Done, those that a journal had
	// Share is the share of the work that is done, if it is known better than from the number of runs; otherwise 0.
	Share float64
}

// block is the number of seeds after which a campaign with Until checks its intervals.
const block = 100

// mostSeeds is the largest number of seeds that a campaign with Until chooses.
const mostSeeds = 10_000_000

// choose fills in the range of seeds, and returns the whole range of which it is a part.
func (r *Request) choose(s *scenarios.Scenario) (whole results.SeedRange, err error) {
	if r.Until < 0 || r.Until >= 0.5 {
		return whole, fmt.Errorf("until must be more than 0 and less than 0.5, and is %v", r.Until)
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
	if r.Seeds.Last-r.Seeds.First >= results.MaxSeeds {
		return whole, fmt.Errorf("seeds %d to %d: a campaign has at most %d", r.Seeds.First, r.Seeds.Last, results.MaxSeeds)
	}
	whole = r.Seeds
	return whole, r.cut()
}

// ErrShard reports that the seeds cannot be divided as requested.
var ErrShard = errors.New("no such shard")

// cut reduces the seeds to those of the shard. The first parts have one seed more if the division
// leaves a remainder.
func (r *Request) cut() error {
	n, seeds := uint64(r.Parts), r.Seeds.Last-r.Seeds.First+1
	switch {
	case r.Piece != results.SeedRange{}:
		return r.cutPiece()
	case r.Part == 0 && r.Parts == 0:
		return nil
	case r.Part < 1 || r.Part > r.Parts:
		return fmt.Errorf("%w: %d of %d", ErrShard, r.Part, r.Parts)
	case r.Until > 0:
		return fmt.Errorf("%w: until depends on all runs, and a shard has only a part of them", ErrShard)
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

// cutPiece reduces the seeds to those of the piece.
func (r *Request) cutPiece() error {
	switch {
	case r.Part != 0 || r.Parts != 0:
		return fmt.Errorf("%w: a piece and a part are set, only one of them can be", ErrShard)
	case r.Until > 0:
		return fmt.Errorf("%w: until depends on all runs, and a piece has only a part of them", ErrShard)
	case r.Piece.First > r.Piece.Last || r.Piece.First < r.Seeds.First || r.Piece.Last > r.Seeds.Last:
		return fmt.Errorf("%w: seeds %d to %d are not a part of %d to %d", ErrShard, r.Piece.First, r.Piece.Last, r.Seeds.First, r.Seeds.Last)
	}
	r.Seeds = r.Piece
	return nil
}

// asked describes the campaign of the request. The range has the seeds of all its parts.
func (r *Request) asked(whole results.SeedRange, uses []scenarios.Strategy) journalAsked {
	asked := journalAsked{Seeds: whole, Until: r.Until}
	for _, use := range uses {
		asked.Strategies = append(asked.Strategies, use.Label)
	}
	return asked
}

// ask records in the journal which campaign begins. It returns a [*JournalError] if the sums of the journal
// include runs that the campaign does not have.
func (r *Request) ask(s *scenarios.Scenario, whole results.SeedRange, uses []scenarios.Strategy, summed bool) error {
	asked := r.asked(whole, uses)
	if err := r.Journal.continues(asked, r.Seeds, summed); err != nil {
		return err
	}
	return r.Journal.ask(s, asked)
}
