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

// Config configures a world. Zero values are the defaults.
type Config struct {
	Seed uint64
	// Step is the virtual time that a worker stays at each point.
	Step time.Duration
	// Cores is the number of processors of each process; 0 means 1. With more than one, the order
	// in which a woken process handles late events is drawn.
	Cores int
	// WakeLag is the time from the waking of a process until a processor handles its late
	// deadlines, or the network poller its late messages. waking.go has an example.
	WakeLag draw.Dist
	// ArrivalFirst makes a woken process handle late events in the order in which they came due, on
	// one processor. Otherwise a processor handles all its deadlines before all messages.
	ArrivalFirst bool
	// Latency is the latency of messages on links that have no latency of their own.
	Latency draw.Dist
	// Limit is the true time at which the run ends in any case, unless Extend moves it; 0 means
	// none.
	Limit time.Duration
	// Trace receives one line for each event; nil means none.
	Trace io.Writer
	// Visit is called for each point that a worker reaches, before the faults that are tied to the
	// point; it may be nil.
	Visit func(at time.Duration, worker, point string)
	// Beat changes its value regularly while events happen, for a watchdog on another goroutine; it
	// may be nil.
	Beat *atomic.Uint64
}

// maxAtOneInstant is the maximum number of events and task switches at one instant of virtual time.
const maxAtOneInstant = 1_000_000

// beatEach is the number of events, or of events and task switches at one instant, for each change of Config.Beat.
const beatEach = 1024

// ErrNoProgress is the error of a run with a million events at one instant of virtual time.
var ErrNoProgress = errors.New("no progress: a million events at one instant of virtual time")

// PanicError is a panic in a task, or in the code of a run outside of tasks, such as that of a server.
type PanicError struct {
	Worker string
	Task   string // "" outside of tasks
	Value  any
	Stack  string // of the panicking code itself
}

func (e *PanicError) Error() string {
	if e.Task == "" {
		return fmt.Sprintf("panic outside of tasks: %v", e.Value)
	}
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
	epoch   time.Time    // what every wall clock shows at the start, before its offset
	slowest int64        // latency so far, without faults
	latency draw.Sampler // of Config
	now     int64
	seq     uint64
	queue   queue
	ready   readyQueue
	nodes   map[string]*Node
	tasks   []*task // not ended, in no particular order
	ended   []*task // for reuse
	idle    []*stack
	current *task
	stopped bool
	closed  bool
	err     error
	trace   trace
	stamps  int // the number of stamps of all actors
	events  int64
	// The number of events and task switches at this instant.
	atInstant int
	points    pointTable
	request   int64    // last request ID given
	conns     int64    // connections dialled
	message   *message // the message of the current point
	spare     []*Call  // finished calls, for reuse
	limited   bool     // Run ended at the limit
	// A woken process is handling late events: more will happen at this instant than the queue
	// shows.
	catchingUp bool
	outside    outside
	outsiders  []*outsider
	looked     bool  // the horizons of the outsiders are those of the present queue
	lookAhead  int64 // 0: no bound
}

// New returns an empty world.
func New(cfg Config) *World {
	return &World{
		cfg: cfg, source: draw.New(cfg.Seed), epoch: epoch(), latency: cfg.Latency.Sampler(), nodes: map[string]*Node{},
		trace: newTrace(cfg.Trace), points: newPointTable(),
	}
}

// Time returns the true time since the run began.
func (w *World) Time() time.Duration { return time.Duration(w.now) }

// Seed returns the seed of the run.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Source returns the source of all random numbers of the run.
func (w *World) Source() draw.Source { return w.source }

// Current returns the process whose task runs now, nil if no task runs.
func (w *World) Current() *Process {
	if w.current == nil {
		return nil
	}
	return w.current.worker.process
}

// Events returns the number of events so far.
func (w *World) Events() int64 { return w.events }

// Checksum returns a hash of everything that has happened so far, in 16 hex digits.
func (w *World) Checksum() string { return w.trace.sum() }

// At calls do at the true time t, or now if t is past.
func (w *World) At(t time.Duration, do func()) {
	w.schedule(&event{what: funcFirer(do)}, max(int64(t), w.now))
}

// Extend moves the limit of the run to a later true time t. It ignores an earlier one.
func (w *World) Extend(t time.Duration) { w.cfg.Limit = max(w.cfg.Limit, t) }

// Limited reports whether Run ended at the limit although more would have happened.
func (w *World) Limited() bool { return w.limited }

// Stop ends Run after the current event.
func (w *World) Stop() { w.stopped = true }

// schedule puts e into the queue.
func (w *World) schedule(e *event, at int64) {
	w.seq++
	e.at, e.seq = at, w.seq
	w.queue.push(e)
}

// cancel prevents e from firing.
func (w *World) cancel(e *event) {
	w.queue.remove(e)
	if e.node != nil {
		e.node.disarm(e)
	}
	if e.late != nil {
		e.late.forget(e)
	}
}

// Run runs events until Stop is called, no event is left, or Config.Limit is reached. It returns
// the first panic of a task, ErrNoProgress, a MisuseError, or the error of Fail.
func (w *World) Run() error {
	w.outside.begun.Store(true)
	defer mark()()
	for {
		w.runReady()
		w.failIfMisused()
		if w.stopped || w.err != nil {
			return w.err
		}
		if w.goOutside() {
			continue
		}
		if len(w.queue.items) == 0 {
			if w.limited = w.waitsOutside(); w.limited {
				w.now = w.next()
			}
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

// advance moves to the time of the next event.
func (w *World) advance(at int64) {
	if at != w.now {
		w.atInstant = 0
	}
	w.now = at
	w.countInstant()
	w.events++
	w.trace.tick(at)
	if w.cfg.Beat != nil && w.events%beatEach == 0 {
		w.cfg.Beat.Add(1)
	}
}

// idleUntil reports whether nothing else can happen before the true time at, when the timer of the current task fires.
func (w *World) idleUntil(at int64) bool {
	limit := int64(w.cfg.Limit)
	return !w.stopped && w.err == nil && !w.catchingUp && w.ready.empty() && len(w.outsiders) == 0 &&
		(len(w.queue.items) == 0 || w.queue.items[0].at > at) && (limit <= 0 || at <= limit)
}

// runReady runs every task that is ready, including those that they wake.
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

// countInstant fails a run that no longer advances in time.
func (w *World) countInstant() {
	if w.atInstant++; w.atInstant > maxAtOneInstant {
		w.Fail(fmt.Errorf("%w (%v)", ErrNoProgress, w.Time()))
	}
	if w.cfg.Beat != nil && w.atInstant%beatEach == 0 { // 100,000 workers begin at one instant
		w.cfg.Beat.Add(1)
	}
}

// readyQueue holds the tasks that were woken and have not yet run, in order.
type readyQueue struct {
	tasks []*task
	first int
}

func (q *readyQueue) push(t *task) { q.tasks = append(q.tasks, t) }

func (q *readyQueue) empty() bool { return q.first == len(q.tasks) }

// pop returns nil if the queue is empty.
func (q *readyQueue) pop() *task {
	if q.empty() {
		q.tasks, q.first = q.tasks[:0], 0
		return nil
	}
	t := q.tasks[q.first]
	q.first++
	return t
}

// Close ends all remaining tasks and frees their coroutines. The deferred calls of these tasks run,
// and every call of theirs to the world fails.
func (w *World) Close() {
	if w.closed {
		return
	}
	w.closed = true
	for _, o := range w.outsiders {
		o.Close()
	}
	// A coroutine that unwinds ends the goroutine that killed it, so each gets one of its own.
	var unwound sync.WaitGroup
	kill := func(s *stack) {
		unwound.Go(s.kill)
		unwound.Wait() // one at a time, as in the run
	}
	for _, t := range w.tasks {
		if t.on != nil {
			kill(t.on)
		}
	}
	for _, s := range w.idle {
		kill(s)
	}
}

// Fail ends the run with err, which Run returns. Only the first error counts.
func (w *World) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
