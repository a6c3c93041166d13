package campaign

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// campaign is the state of a campaign that is running.
type campaign struct {
	scenario *scenarios.Scenario
	request  Request // with its range of seeds filled in
	uses     []scenarios.Strategy
	jobs     *run.Pool

	// Set between two blocks, when no job is running.
	first  uint64 // seed of the current block
	count  int    // of its seeds
	active []int  // the uses that run in it
	again  []cell // runs of the journal whose history is needed, to run again
	summed bool   // there are too many runs to keep each
	sums   *sums  // of the blocks before

	mu       sync.Mutex
	block    *sums                   // of the runs of the block
	tallies  []*tally                // by use
	digests  []*xxhash.Digest        // by use: of the checksums of the runs, in the order of seeds
	failures []map[string]*violation // by use and check: the lowest seed that violates it
	whole    map[showcase]int        // of a scenario with cases: the use whose first violation is kept whole
	done     int
	recalled int // of done, the runs that came from a journal
	due      int // runs at the end of the block
	total    int // runs at the end of the campaign, at most
	err      error
	over     bool // results of runs that end later are dropped
}

// cell is one run of a campaign: the index of a use of a strategy, and a seed.
type cell struct {
	use  int
	seed uint64
}

// Run runs the scenario over its seeds and strategies. When ctx ends it waits briefly for the
// current runs, and returns the results so far, marked as partial, with the cause. A run that
// cannot be executed ends the campaign with a [*run.Error].
func Run(ctx context.Context, s *scenarios.Scenario, r Request) (*results.Campaign, error) {
	whole, err := r.choose(s)
	if err != nil {
		return nil, err
	}
	jobs := run.NewPool(s, r.Own, r.Jobs, r.Stall)
	uses, err := s.Uses(r.Strategies, jobs.Own)
	if err != nil {
		return nil, err
	}
	c := newCampaign(s, r, jobs, uses)
	c.summed = r.summed(whole, len(uses))
	if err := r.ask(s, whole, uses, c.summed); err != nil {
		return nil, err
	}
	if err := c.repeats(ctx); err != nil {
		return nil, err
	}
	for c.begin(ctx) && ctx.Err() == nil {
		c.runBlock(ctx)
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

func newCampaign(s *scenarios.Scenario, r Request, jobs *run.Pool, uses []scenarios.Strategy) *campaign {
	c := &campaign{scenario: s, request: r, uses: uses, sums: newSums(s, uses), whole: map[showcase]int{}, jobs: jobs}
	c.jobs.Grace = run.DefaultGrace
	for i := range uses {
		c.active = append(c.active, i)
		c.digests = append(c.digests, xxhash.New())
		c.failures = append(c.failures, map[string]*violation{})
	}
	c.newBlock()
	return c
}

// newBlock prepares the sums of the next block.
func (c *campaign) newBlock() {
	c.block, c.tallies = newSums(c.scenario, c.uses), nil
	for i := range c.uses {
		c.tallies = append(c.tallies, &tally{next: c.first, waiting: map[uint64]*summary{}, add: func(seed uint64, s *summary) {
			_, _ = c.digests[i].WriteString(s.Checksum) // it never fails
			c.block.addRun(c.scenario, i, seed, s)
		}})
	}
}

// begin prepares the next block, including its runs from a journal, and reports whether there is
// one. There is none after an error, or after a block that was not completed. Without Until, a
// campaign that keeps each run has one block.
func (c *campaign) begin(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.done < c.due {
		return false
	}
	if c.due > 0 {
		c.settle()
		if c.summed {
			c.err = c.request.Journal.settle(c.sums)
		}
	} else {
		c.err = c.recallSums()
	}
	if c.request.Until > 0 && c.done > 0 {
		c.active = slices.DeleteFunc(c.active, func(i int) bool { return c.sums.Uses[i].narrow(c.request.Until) })
	}
	rest := results.SeedSet{Ranges: []results.SeedRange{c.request.Seeds}}.Without(c.sums.seeds())
	c.count = 0
	if len(rest.Ranges) > 0 && len(c.active) > 0 {
		c.first, c.count = rest.Ranges[0].First, min(rest.Ranges[0].Count(), c.blockSeeds())
	}
	c.total, c.due = c.done+len(c.active)*rest.Count(), c.done+len(c.active)*c.count
	c.newBlock()
	if c.err == nil {
		c.err = c.recall(ctx)
	}
	return c.err == nil && (c.count > 0 || len(c.again) > 0)
}

// blockSeeds returns the largest number of seeds of a block.
func (c *campaign) blockSeeds() int {
	switch {
	case c.request.Until > 0:
		return block
	case c.summed:
		return max(1, cmp.Or(c.request.blockRuns, blockRuns)/len(c.uses))
	}
	return math.MaxInt
}

// settle adds the block to the sums.
func (c *campaign) settle() {
	for _, t := range c.tallies {
		t.flush()
	}
	c.block.pairUp(c.scenario, c.uses)
	most := 0
	if c.summed {
		most = named
	}
	c.sums.add(c.block, most)
	c.newBlock()
}

// recallSums takes the sums of the journal, whose runs are not run again.
func (c *campaign) recallSums() error {
	recalled, err := c.request.Journal.sumsOf(c.scenario)
	if recalled == nil {
		return err
	}
	c.sums.add(recalled, named)
	c.done, c.recalled = recalled.runs(), recalled.runs()
	for use, u := range recalled.Uses {
		for k, of := range u.Checks {
			if of.First != nil {
				c.violates(use, c.scenario.Checks[k], of.First.Seed, of.First.Checksum, nil)
			}
		}
	}
	return nil
}

// recall adds the runs of the block that the journal has, and finds those that must run again: a
// report shows the history of the first violation of each check, and a journal has no histories.
func (c *campaign) recall(ctx context.Context) error {
	c.again = nil
	if c.request.Journal == nil {
		return nil
	}
	for i := int64(0); i < int64(len(c.active)*c.count) && ctx.Err() == nil; i++ {
		at, _ := c.at(i)
		s, err := c.request.Journal.summary(c.scenario, c.uses[at.use].Label, at.seed)
		if err != nil {
			return err
		}
		if s != nil {
			c.take(at, s, nil)
		}
	}
	for use := range c.failures {
		for _, check := range c.scenario.Checks {
			first := c.failures[use][check]
			if first == nil || first.trial != nil || first.unseen || !c.keepsWhole(use, check) {
				continue
			}
			if at := (cell{use, first.seed}); !slices.Contains(c.again, at) {
				c.again = append(c.again, at)
			}
		}
	}
	return nil
}

// runBlock executes the runs of a block, seed by seed.
func (c *campaign) runBlock(stopped context.Context) {
	err := c.jobs.All(stopped, int64(len(c.again)+len(c.active)*c.count), c.task)
	c.mu.Lock()
	defer c.mu.Unlock()
	if stopped.Err() == nil {
		c.err = err
	}
}

// task returns the task of run number i of the block. The task does nothing if the journal has the
// run.
func (c *campaign) task(i int64) run.Task {
	at, again := c.at(i)
	use := c.uses[at.use]
	return run.Task{Scenario: c.scenario, Use: use, Seed: at.seed, Do: func(r *run.Runner) error {
		if !again && c.request.Journal.has(use.Label, at.seed) {
			return nil
		}
		r.Counts = true
		trial, err := r.Once(use, at.seed)
		switch {
		case err != nil:
			return err
		case again:
			return c.fill(at.use, trial)
		}
		return c.keep(at.use, trial)
	}}
}

// at returns run number i of the block. The runs that run again come first. Then come all
// strategies of one seed after each other, so that a campaign that is stopped early compares them
// on the same seeds.
func (c *campaign) at(i int64) (run cell, again bool) {
	if i < int64(len(c.again)) {
		return c.again[i], true
	}
	i -= int64(len(c.again))
	n := int64(len(c.active))
	return cell{c.active[i%n], c.first + uint64(i/n)}, false
}

// keep writes a finished run into the journal, and then adds it.
func (c *campaign) keep(use int, t *results.Trial) error {
	s := c.summarise(t)
	line, err := c.request.Journal.line(t.Label, t.Seed, s)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	if err := c.request.Journal.keep(t.Label, t.Seed, line); err != nil {
		return err
	}
	c.take(cell{use, t.Seed}, s, t)
	return nil
}

// summarise returns the figures of a run that are summed up.
func (c *campaign) summarise(t *results.Trial) *summary {
	s := &summary{Acquisitions: t.Acquisitions, Metrics: t.Metrics, Checksum: t.Checksum, Unread: t.History.Meta.Unread}
	for _, r := range t.Results {
		s.Results = append(s.Results, outcomeOf{r.Verdict, r.Applies, r.Count})
	}
	for step, b := range t.Injections {
		spec := t.Plan.Steps[step].Spec
		i := slices.IndexFunc(s.Faults, func(f results.FaultStats) bool { return f.Spec == spec })
		if i < 0 {
			i = len(s.Faults)
			s.Faults = append(s.Faults, results.FaultStats{Spec: spec, Kind: c.scenario.Faults[spec].Kind()})
		}
		s.Faults[i].Add(b)
	}
	return s
}

// take adds a run; its trial is nil if it comes from a journal. The trial is kept whole if it is
// the first of its strategy that violates a check. In a scenario with cases it must also be the
// first of all strategies under that class of faults.
func (c *campaign) take(at cell, s *summary, t *results.Trial) {
	label, violated, kept := c.uses[at.use].Label, false, false
	for i, r := range s.Results {
		if r.verdict != checker.Invalid {
			continue
		}
		check := c.scenario.Checks[i]
		violated = violated || c.scenario.Decides(label, check)
		kept = c.violates(at.use, check, at.seed, s.Checksum, t) || kept
	}
	if kept && t != nil {
		run.OwnEvents(t)
	}
	c.tallies[at.use].take(at.seed, s)
	c.done++
	if t == nil {
		c.recalled++
	}
	if c.request.Progress != nil {
		c.request.Progress(Progress{Done: c.done, Total: c.total, Label: label, Violated: violated, Requests: s.Metrics.Requests, Recalled: c.recalled})
	}
}

// repeats executes the first run of each of the caller's own strategies twice, since such a lock
// may use a clock or random numbers from outside its Env.
func (c *campaign) repeats(ctx context.Context) error {
	var first []scenarios.Strategy
	for _, use := range c.uses {
		_, own := c.jobs.Own[use.Name]
		if own && !slices.ContainsFunc(first, func(u scenarios.Strategy) bool { return u.Name == use.Name }) {
			first = append(first, use)
		}
	}
	err := c.jobs.All(ctx, int64(len(first)), func(i int64) run.Task {
		use, seed := first[i], c.request.Seeds.First
		return run.Task{Scenario: c.scenario, Use: use, Seed: seed, Do: func(r *run.Runner) error {
			return r.Repeats(use, seed)
		}}
	})
	if ctx.Err() == nil { // otherwise the campaign itself handles it
		return err
	}
	return nil
}
