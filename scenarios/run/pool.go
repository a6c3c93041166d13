package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockquake/internal/stall"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// DefaultStall is the time, in real time, that a run may stay at one event.
const DefaultStall = 20 * time.Second

// DefaultGrace is the time, in real time, that a campaign or a search that was stopped waits for its current runs.
const DefaultGrace = 300 * time.Millisecond

// Pool executes many runs in parallel.
type Pool struct {
	Jobs   int                   // runs at once; at least one
	Own    map[string]lock.Entry // strategies that the caller brought along, by name
	Stall  time.Duration         // the time, in real time, that a run may stay at one event
	Trace  io.Writer             // gets a line for every event of a run of one; nil for none
	Caches map[string]any        // see Runner
	// Grace is the time, in real time, that a stopped pool waits for its current runs; 0: until
	// they end.
	Grace time.Duration
}

// NewPool returns a pool for runs of a scenario, whose strategies of the caller's are
// those of the scenario and of own. Jobs are by default one per processor, and stall is by default
// [DefaultStall].
func NewPool(s *scenarios.Scenario, own []lock.Entry, jobs int, stall time.Duration) *Pool {
	p := &Pool{Jobs: cmp.Or(jobs, runtime.GOMAXPROCS(0)), Own: map[string]lock.Entry{}, Stall: cmp.Or(stall, DefaultStall), Caches: scenarios.Caches()}
	for _, e := range slices.Concat(s.Own, own) {
		p.Own[e.Name] = e
	}
	return p
}

// Task is a piece of work for a job of a pool: mostly one run.
type Task struct {
	Scenario *scenarios.Scenario
	Use      scenarios.Strategy
	Seed     uint64
	// Do is called with a runner of its job. Its results may be read only after all tasks are done,
	// unless it synchronises them itself.
	Do func(r *Runner) error
}

// All executes count tasks; at returns the task of a number. It ends early with the first error, or
// when ctx ends, and then returns the cause of ctx.
func (p *Pool) All(stopped context.Context, count int64, at func(i int64) Task) error {
	ctx, cancel := context.WithCancelCause(stopped) //nolint:forbidigo // jobs live in real time, their runs do not
	defer cancel(nil)
	var next atomic.Int64
	var running sync.WaitGroup
	var ended []func()
	for range max(1, min(int64(p.Jobs), count)) {
		running.Add(1)
		ended = append(ended, sync.OnceFunc(running.Done))
	}
	if p.Grace > 0 {
		defer stall.Grace(stopped, p.Grace, func() {
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

// One executes one run, and returns all of it. When ctx ends, it returns the cause.
func (p *Pool) One(ctx context.Context, s *scenarios.Scenario, use scenarios.Strategy, seed uint64) (*results.Trial, error) {
	var trial *results.Trial
	err := p.All(ctx, 1, func(int64) Task {
		return Task{s, use, seed, func(r *Runner) (err error) {
			r.trace = p.Trace
			trial, err = r.Once(use, seed)
			return err
		}}
	})
	if err != nil { // a run that hangs or was given up may still end, and set trial
		return nil, err
	}
	return trial, nil
}

// work executes tasks until none is left. A run that hangs cannot be stopped: work reports it, and
// the job counts as ended.
func (p *Pool) work(ctx context.Context, cancel context.CancelCauseFunc, next *atomic.Int64, count int64, at func(i int64) Task, ended func()) {
	defer ended()
	var beat atomic.Uint64
	var current atomic.Int64
	r := &Runner{Own: p.Own, Caches: p.Caches, beat: &beat}
	defer stall.Watch(&beat, p.Stall, func() bool {
		if r.judging.Load() {
			return false
		}
		t := at(current.Load())
		hang := &HangError{p.Stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}
		cancel(newError(t.Scenario, t.Use, t.Seed, hang))
		ended()
		return true
	})()
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= count {
			return
		}
		current.Store(i)
		beat.Add(1)
		t := at(i)
		r.Scenario = t.Scenario
		if err := t.Do(r); err != nil {
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
