package sim

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"lockquake/internal/draw"
)

// Config is what a world is made from. The zero value of a field is its
// default.
type Config struct {
	Seed uint64
	// Step is the virtual time that every point costs.
	Step time.Duration
	// Cores is how many processors each process runs on; 0 stands for 1. With
	// more than one, chance decides what a process sees first on waking.
	Cores int
	// WakeLag is the time that a processor takes from waking to its late
	// deadlines, and the network poller to the late messages.
	WakeLag draw.Dist
	// ArrivalFirst: on waking, what came first is seen first, on one processor.
	// Otherwise all deadlines of one processor come before all messages.
	ArrivalFirst bool
	// Latency is how long a message is under way on a link that has no latency
	// of its own.
	Latency draw.Dist
	// Limit is the true time at which the run ends in any case, unless Extend
	// moves it; 0 for none.
	Limit time.Duration
	// Trace receives one line for every event; nil for none.
	Trace io.Writer
	// Visit is told of every point that a worker comes to, before the faults
	// that are tied to it; nil for nobody.
	Visit func(at time.Duration, worker, point string)
	// Beat is set to a new value again and again while events happen, for a
	// watchdog on another goroutine; nil for none.
	Beat *atomic.Uint64
}

// maxAtOneInstant is how many events and task switches may happen before time
// must have moved.
const maxAtOneInstant = 1_000_000

// ErrNoProgress says that a million events happened at one instant of virtual time.
var ErrNoProgress = errors.New("no progress: a million events at one instant of virtual time")

// PanicError is a panic in a task.
type PanicError struct {
	Worker string
	Task   string
	Value  any
	Stack  string // of the panicking task itself
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in task %s of %s: %v", e.Task, e.Worker, e.Value)
}

// Unwrap returns the value of the panic if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// World is one run. It is built, run once on one goroutine, and closed.
type World struct {
	cfg     Config
	source  draw.Source
	now     int64
	seq     uint64
	queue   queue
	ready   readyQueue
	nodes   map[string]*Node
	tasks   []*task // not ended, in no order
	idle    []*task // ended, kept for their threads
	current *task
	stopped bool
	closed  bool
	err     error
	trace   trace
	events  int64
	// How many events and task switches happened at this instant.
	atInstant int
	points    pointTable
	request   int64    // last request ID given
	conns     int64    // connections dialled
	message   *message // the one that the point being passed is about
	spare     []*Call  // answered and taken, for new requests
	limited   bool     // Run ended at the limit
	// A process takes in what came while it was stopped: more is to happen at
	// this instant than the queue knows.
	catchingUp bool
	outside    outside
}

// New makes an empty world.
func New(cfg Config) *World {
	return &World{
		cfg: cfg, source: draw.New(cfg.Seed), nodes: map[string]*Node{},
		trace: newTrace(cfg.Trace), points: newPointTable(),
	}
}

// Time is the true time since the run began.
func (w *World) Time() time.Duration { return time.Duration(w.now) }

// Source is where everything random in this run comes from.
func (w *World) Source() draw.Source { return w.source }

// Events is how many events have happened.
func (w *World) Events() int64 { return w.events }

// Checksum names all that has happened so far, in 16 hex digits.
func (w *World) Checksum() string { return w.trace.sum() }

// At calls do at a moment of true time; a past one stands for now.
func (w *World) At(moment time.Duration, do func()) {
	w.schedule(&event{what: funcFirer(do)}, max(int64(moment), w.now))
}

// Extend moves the limit of the run to a later moment of true time. An earlier
// one leaves it where it is.
func (w *World) Extend(moment time.Duration) { w.cfg.Limit = max(w.cfg.Limit, moment) }

// Limited reports whether Run ended at the limit, with more left to happen.
func (w *World) Limited() bool { return w.limited }

// Stop ends Run after the event at hand.
func (w *World) Stop() { w.stopped = true }

// schedule puts e into the queue.
func (w *World) schedule(e *event, at int64) {
	w.seq++
	e.at, e.seq = at, w.seq
	w.queue.push(e)
}

// cancel makes sure that e does not fire.
func (w *World) cancel(e *event) {
	w.queue.remove(e)
	if e.node != nil {
		e.node.disarm(e)
	}
	if e.late != nil {
		e.late.forget(e)
	}
}

// Run lets events happen until Stop is called, nothing is left to happen, or
// Config.Limit has come. It returns the first panic of a task, ErrNoProgress, or a
// MisuseError.
func (w *World) Run() error {
	w.outside.begun.Store(true)
	defer mark()()
	for {
		w.runReady()
		w.listen()
		if w.stopped || w.err != nil || len(w.queue.items) == 0 {
			return w.err
		}
		e := w.queue.pop()
		if limit := int64(w.cfg.Limit); limit > 0 && e.at > limit {
			w.now, w.limited = limit, true
			return nil
		}
		w.advance(e.at)
		if e.node != nil {
			e.node.disarm(e)
		}
		e.what.fire()
	}
}

// advance lets the time of the next event come.
func (w *World) advance(at int64) {
	if at != w.now {
		w.atInstant = 0
	}
	w.now = at
	w.countInstant()
	w.events++
	w.trace.tick(at)
	if w.cfg.Beat != nil && w.events%1024 == 0 {
		w.cfg.Beat.Add(1)
	}
}

// idleUntil reports whether nothing can happen before the timer of the task
// at hand fires at that time, nor at that time before it.
func (w *World) idleUntil(at int64) bool {
	limit := int64(w.cfg.Limit)
	return !w.stopped && w.err == nil && !w.catchingUp && w.ready.empty() &&
		(len(w.queue.items) == 0 || w.queue.items[0].at > at) && (limit <= 0 || at <= limit)
}

// runReady gives the processor to every task that was woken, and to those
// that they wake.
func (w *World) runReady() {
	for w.err == nil {
		t := w.ready.pop()
		if t == nil {
			return
		}
		w.countInstant()
		t.run()
	}
}

// countInstant notices a run that no longer moves in time.
func (w *World) countInstant() {
	if w.atInstant++; w.atInstant > maxAtOneInstant {
		w.fail(fmt.Errorf("%w (%v)", ErrNoProgress, w.Time()))
	}
}

// readyQueue holds the tasks that were woken and have not yet run, in order.
type readyQueue struct {
	tasks []*task
	first int
}

func (q *readyQueue) push(t *task) { q.tasks = append(q.tasks, t) }

func (q *readyQueue) empty() bool { return q.first == len(q.tasks) }

// pop returns nil when nothing is there.
func (q *readyQueue) pop() *task {
	if q.empty() {
		q.tasks, q.first = q.tasks[:0], 0
		return nil
	}
	t := q.tasks[q.first]
	q.first++
	return t
}

// Close ends every task that is still there and frees its thread. Deferred
// calls of such tasks run, and find a world in which every call fails.
func (w *World) Close() {
	if w.closed {
		return
	}
	w.closed = true
	// A thread that unwinds takes down the goroutine it is stopped from, so
	// each gets one to take.
	var unwound sync.WaitGroup
	for _, tasks := range [][]*task{w.tasks, w.idle} {
		for _, t := range tasks {
			unwound.Go(t.thread.kill)
			unwound.Wait() // one at a time, as in the run
		}
	}
}

// Fail ends the run with err, which Run returns; the first one counts. It is for
// what the simulation cannot carry out.
func (w *World) Fail(err error) { w.fail(err) }

// fail ends the run with err; the first one counts.
func (w *World) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
