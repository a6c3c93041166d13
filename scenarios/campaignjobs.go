package scenarios

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"lockquake/internal/stall"
)

// defaultStall is how long, in real time, a run may stand at one event.
const defaultStall = 20 * time.Second

// grace is how long, in real time, a stopped campaign waits for the runs at
// hand.
const grace = 300 * time.Millisecond

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
		hangs, _ := c.at(at.Load())
		fail(&RunError{c.scenario.Name, c.scenario.argument(), c.uses[hangs.use].Label, hangs.seed, &HangError{c.options.stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}})
		ended()
	})
	defer stop()
	total := int64(len(c.again) + len(c.active)*c.seeds.Count())
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= total {
			return
		}
		cell, again := c.at(i)
		if !again && c.options.journal.has(c.uses[cell.use].Label, cell.seed) {
			continue
		}
		at.Store(i)
		beat.Add(1)
		trial, err := r.once(c.uses[cell.use], cell.seed)
		if err == nil && again {
			err = c.fill(cell.use, trial)
		} else if err == nil {
			err = c.keep(cell.use, trial)
		}
		if err != nil {
			fail(err)
			return
		}
	}
}

// at says which run of the block has the number i. First come those that are
// run again; then all strategies of one seed follow each other, so that a campaign
// cut short compares them on the same seeds.
func (c *campaign) at(i int64) (run cell, again bool) {
	if i < int64(len(c.again)) {
		return c.again[i], true
	}
	i -= int64(len(c.again))
	n := int64(len(c.active))
	return cell{c.active[i%n], c.seeds.First + uint64(i/n)}, false
}

func (c *campaign) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.over {
		c.err = err
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
