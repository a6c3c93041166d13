package sim

import (
	"errors"
	"runtime/debug"
	"time"
)

// ErrOver is returned by every call of a task after the run is over or its process has crashed.
var ErrOver = errors.New("the run is over")

// reason says what woke a task.
type reason uint8

const (
	byNothing reason = iota
	byTimer
	byContext
	bySem
	byReply
	byStart
)

// class is the kind of an event that comes due while its process is stopped.
type class uint8

const (
	classDeadline class = iota
	classMessage
	classStep // the end of a step or a computation, which goes on at once
)

// task is a thread of control of a worker.
type task struct {
	world  *World
	worker *Worker
	name   string
	on     *stack // nil: it has not begun, or has ended
	body   func()
	first  func() func() // returns the body; nil: there is a body
	done   *sem

	place   int // position in world.tasks
	timer   event
	class   class // class of the timer
	work    work  // if class is classStep
	waiting bool
	woken   reason
	ctx     *simContext // waited on, if any
	sem     *sem
}

// stack is a coroutine that runs one task after another.
type stack struct {
	coroutine
	task *task
}

// spawn returns a new task, ready to run.
func (w *World) spawn(worker *Worker, name string, f func()) *task {
	t := w.newTask(worker.process)
	t.worker, t.name, t.body, t.done = worker, name, f, newSem(w, 0)
	t.place = len(w.tasks)
	w.tasks = append(w.tasks, t)
	w.note(kindTask, worker.name, name, 0)
	t.waiting = true
	t.wake(byStart)
	return t
}

// newTask returns a task that is not in use: the first one of the process, a recycled one, or a new one.
func (w *World) newTask(p *Process) *task {
	t, used := &p.firstTask, p.firstTask.world != nil
	if n := len(w.ended); used && n > 0 {
		t = w.ended[n-1]
		w.ended = w.ended[:n-1]
		return t
	}
	if used {
		t = &task{}
	}
	t.world, t.timer.what = w, (*taskTimer)(t)
	return t
}

// begin gives the task an idle stack, or a new one.
func (t *task) begin() {
	w := t.world
	n := len(w.idle)
	if n == 0 {
		t.beginAnew()
		return
	}
	t.on = w.idle[n-1]
	t.on.task = t
	w.idle = w.idle[:n-1]
}

// beginAnew gives the task a new stack.
func (t *task) beginAnew() {
	t.on = &stack{task: t}
	t.on.start(t.on.loop)
}

// mostIdle bounds the stacks that are kept for reuse. When a large run ends, each of its workers leaves one.
const mostIdle = 1000

// loop is the body of a stack's coroutine.
func (s *stack) loop() {
	mark()
	for {
		t := s.task
		if body := t.perform(); body != nil {
			t.body = body
			t.beginAnew()
		} else {
			t.end()
		}
		if len(t.world.idle) == mostIdle {
			return
		}
		t.world.idle = append(t.world.idle, s)
		s.park()
	}
}

// perform runs the task, or returns its body if that is not known yet. A panic ends the run.
func (t *task) perform() (body func()) {
	defer func() {
		if v := recover(); v != nil {
			t.world.Fail(&PanicError{Worker: t.worker.name, Task: t.name, Value: v, Stack: string(debug.Stack())})
		}
	}()
	if first := t.first; first != nil {
		t.first = nil
		return first()
	}
	t.body()
	return nil
}

func (t *task) end() {
	w := t.world
	last := w.tasks[len(w.tasks)-1]
	w.tasks[t.place], last.place = last, t.place
	w.tasks[len(w.tasks)-1] = nil
	w.tasks = w.tasks[:len(w.tasks)-1]
	t.done.Release()
	t.on, t.body, t.done = nil, nil, nil
	w.ended = append(w.ended, t)
}

// run resumes a ready task, unless its process is stopped.
func (t *task) run() {
	p := t.worker.process
	switch {
	case p.crashed:
		return
	case p.stops > 0:
		p.heldTasks = append(p.heldTasks, t)
		return
	case t.worker.stalled[t.name] > 0:
		t.worker.stuck = append(t.worker.stuck, t)
		return
	}
	t.world.current = t
	if t.on == nil {
		t.begin()
	}
	for on := (*stack)(nil); t.on != on && t.on != nil; { // it may go on on another one
		on = t.on
		on.resume()
	}
	t.world.current = nil
}

// wait parks the task until wake is called, and returns the reason.
func (t *task) wait() reason {
	t.waiting = true
	t.woken = byNothing
	t.on.park()
	return t.woken
}

// wake makes a waiting task ready and cancels everything else that it waited for.
func (t *task) wake(why reason) {
	if !t.waiting {
		return
	}
	t.waiting = false
	t.woken = why
	t.world.cancel(&t.timer)
	if t.ctx != nil {
		t.ctx.unwatch(t)
		t.ctx = nil
	}
	if t.sem != nil {
		t.sem.forget(t)
		t.sem = nil
	}
	t.world.ready.push(t)
}

// sleep parks for d on the node's monotonic clock, or until ctx ends.
func (t *task) sleep(ctx *simContext, d time.Duration, c class) reason {
	if t.elapse(d) {
		return byTimer
	}
	t.class = c
	if c == classStep {
		t.work = t.worker.process.begin(d)
	}
	t.worker.process.node.arm(&t.timer, d)
	if ctx != nil {
		t.ctx = ctx
		ctx.watch(t)
	}
	return t.wait()
}

// waitAtMost parks until something wakes the task, for d at most (0: forever), or until ctx ends.
func (t *task) waitAtMost(ctx *simContext, d time.Duration) reason {
	if d > 0 {
		return t.sleep(ctx, d, classDeadline)
	}
	if ctx != nil {
		t.ctx = ctx
		ctx.watch(t)
	}
	return t.wait()
}

// elapse lets d pass without parking the task, if nothing else happens meanwhile, and reports
// whether it did. The trace is the same as with a timer; it only saves the queue and two switches.
func (t *task) elapse(d time.Duration) bool {
	w, p := t.world, t.worker.process
	if p.stops > 0 || p.waking.lags() || p.crashed || len(t.worker.stalled) > 0 {
		return false
	}
	mono := &p.node.mono
	at := mono.when(mono.at(w.now) + max(int64(d), 0))
	if at == never || !w.idleUntil(at) {
		return false
	}
	w.seq++
	w.advance(at)
	w.countInstant() // the task's own turn
	return true
}

// taskTimer makes a task the firer of its timer.
type taskTimer task

func (tt *taskTimer) fire() {
	t := (*task)(tt)
	p := t.worker.process
	if p.crashed || p.postpone(&t.timer, t.class) {
		return
	}
	if t.class == classStep {
		if left := p.remaining(t.work); left > 0 {
			t.work = p.begin(left)
			p.node.arm(&t.timer, left)
			return
		}
	}
	t.wake(byTimer)
}
