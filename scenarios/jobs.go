package scenarios

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"lockquake/internal/stall"
	"lockquake/lock"
	"lockquake/scenarios/results"
)

// defaultStall is how long, in real time, a run may stand at one event.
const defaultStall = 20 * time.Second

// pool carries out many runs at once.
type pool struct {
	jobs   int                   // runs at once; at least one
	own    map[string]lock.Entry // strategies that the caller brought along, by name
	stall  time.Duration         // how long, in real time, a run may stand at one event
	trace  io.Writer             // gets a line for every event of a run of one; nil for none
	caches map[string]any        // see runner
	// grace is how long, in real time, the runs at hand are waited for when all
	// is stopped; 0: until they end.
	grace time.Duration
}

// task is what a job does next: mostly one run.
type task struct {
	scenario *Scenario
	use      Strategy
	seed     uint64
	// do is called with a runner of its job. Of its results nobody else may
	// take note before all tasks are done, unless it sees to that itself.
	do func(r *runner) error
}

// all carries out every task, of which at says what it is. It ends early with the
// first error, or with ctx, whose cause it returns then.
func (p *pool) all(stopped context.Context, count int64, at func(i int64) task) error {
	ctx, cancel := context.WithCancelCause(stopped) //nolint:forbidigo // jobs live in real time, their runs do not
	defer cancel(nil)
	var next atomic.Int64
	var running sync.WaitGroup
	var ended []func()
	for range max(1, min(int64(p.jobs), count)) {
		running.Add(1)
		ended = append(ended, sync.OnceFunc(running.Done))
	}
	if p.grace > 0 {
		defer stall.Grace(stopped, p.grace, func() {
			for _, end := range ended {
				end()
			}
		})()
	}
	for _, end := range ended {
		go p.work(ctx, cancel, &next, count, at, end)
	}
	running.Wait()
	return context.Cause(ctx)
}

// one carries out one run, and keeps all of it.
func (p *pool) one(s *Scenario, use Strategy, seed uint64) (*results.Trial, error) {
	var trial *results.Trial
	err := p.all(context.Background(), 1, func(int64) task {
		return task{s, use, seed, func(r *runner) (err error) {
			r.trace = p.trace
			trial, err = r.once(use, seed)
			return err
		}}
	})
	if err != nil { // a run that hangs may end yet
		return nil, err
	}
	return trial, nil
}

// work takes tasks until none is left. A run that hangs cannot be stopped: it
// is reported, and the job counts as ended.
func (p *pool) work(ctx context.Context, cancel context.CancelCauseFunc, next *atomic.Int64, count int64, at func(i int64) task, ended func()) {
	defer ended()
	var beat atomic.Uint64
	var current atomic.Int64
	r := &runner{own: p.own, caches: p.caches, beat: &beat}
	defer stall.Watch(&beat, p.stall, func() {
		t := at(current.Load())
		hang := &HangError{p.stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}
		cancel(newRunError(t.scenario, t.use, t.seed, hang))
		ended()
	})()
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= count {
			return
		}
		current.Store(i)
		beat.Add(1)
		t := at(i)
		r.scenario = t.scenario
		if err := t.do(r); err != nil {
			cancel(err)
			return
		}
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
