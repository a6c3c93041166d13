package scenarios

import (
	"context"
	"sync"
	"sync/atomic"

	"lockquake/internal/stall"
	"lockquake/sim/redis"
)

// jobs carries out many runs of one search at once.
type jobs struct {
	options options
	scripts *redis.ScriptCache
	mu      sync.Mutex
	done    Progress
}

// task is one piece of a search.
type task struct {
	scenario *Scenario
	use      Strategy
	seed     uint64
	// do is called with a runner of its job. Of its results nobody else may
	// take note before all tasks are done.
	do func(r *runner) error
}

// all carries out every task. It ends early with the first error, or with ctx,
// whose cause it returns then.
func (j *jobs) all(stopped context.Context, tasks []task) error {
	ctx, cancel := context.WithCancelCause(stopped) //nolint:forbidigo // jobs live in real time, their runs do not
	defer cancel(nil)
	var next atomic.Int64
	var running sync.WaitGroup
	for range max(1, min(j.options.jobs, len(tasks))) {
		running.Add(1)
		go j.work(ctx, cancel, tasks, &next, sync.OnceFunc(running.Done))
	}
	running.Wait()
	return context.Cause(ctx)
}

// work takes tasks until none is left. A run that hangs cannot be stopped: it
// is reported, and the job counts as ended.
func (j *jobs) work(ctx context.Context, cancel context.CancelCauseFunc, tasks []task, next *atomic.Int64, ended func()) {
	defer ended()
	var beat atomic.Uint64
	var at atomic.Int64
	r := &runner{own: j.options.own, scripts: j.scripts, beat: &beat}
	defer stall.Watch(&beat, j.options.stall, func() {
		t := tasks[at.Load()]
		hang := &HangError{j.options.stall, stall.Stacks("sim.(*task).perform", "sim.(*coroutine).park")}
		cancel(&RunError{t.scenario.Name, t.scenario.argument(), t.use.Label, t.seed, hang})
		ended()
	})()
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= int64(len(tasks)) {
			return
		}
		at.Store(i)
		beat.Add(1)
		if err := tasks[i].do(r); err != nil {
			cancel(err)
			return
		}
	}
}

// told counts a finished run, and tells whoever wants to know.
func (j *jobs) told(label string, violated bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done.Done++
	if j.options.progress != nil {
		j.options.progress(Progress{Done: j.done.Done, Total: max(j.done.Total, j.done.Done), Label: label, Violated: violated})
	}
}
