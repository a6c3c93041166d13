package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"lockquake/lock/env"
)

// Worker is a worker of a process. It implements env.Env for the lock that it uses.
type Worker struct {
	process  *Process
	name     string
	random   []stream
	hooks    map[pointID]*hook
	stamps   stamps
	stalled  map[string]int // tasks that are stopped, by name
	stuck    []*task        // stalled tasks that are ready to run
	restarts int            // how often it was restarted
}

// stream is one of the few generators that a worker uses.
type stream struct {
	name string
	*rand.Rand
}

var _ env.Env = (*Worker)(nil)

// Worker adds a worker to the process.
func (p *Process) Worker(name string) *Worker {
	k := &p.firstWorker
	if k.process != nil {
		k = &Worker{}
	}
	k.process, k.name = p, name
	return k
}

// Restart starts the program of a crashed worker again, in a new process on the same node. The
// worker keeps its name and the visits of its points, and gets new random numbers.
func (k *Worker) Restart() *Worker {
	p := k.process.node.Process(k.process.name)
	p.onExit = k.process.onExit
	p.waking.count = k.process.waking.count
	life := p.Worker(k.name)
	life.hooks, life.restarts = k.hooks, k.restarts+1
	return life
}

// Name returns the name that the worker was added with.
func (k *Worker) Name() string { return k.name }

// Process returns the process that the worker belongs to.
func (k *Worker) Process() *Process { return k.process }

// Now implements env.Env.
func (k *Worker) Now() time.Time {
	k.process.node.world.foreign()
	return k.process.node.Now()
}

// Mono implements env.Env.
func (k *Worker) Mono() time.Duration {
	k.process.node.world.foreign()
	return k.process.node.Mono()
}

// Sleep implements env.Env.
func (k *Worker) Sleep(ctx context.Context, d time.Duration) error {
	t, sc, err := k.process.node.world.enter(ctx)
	if err != nil {
		return err
	}
	if t.sleep(sc, d, classDeadline) == byContext {
		return sc.cause
	}
	return nil
}

// Compute keeps the worker busy for d of processor time. No context ends it. While its process is
// stopped it makes no progress, and does the rest after waking.
func (k *Worker) Compute(d time.Duration) error {
	t, _, err := k.process.node.world.enter(context.Background())
	if err != nil {
		return err
	}
	t.sleep(nil, d, classStep)
	return nil
}

// WithCancel implements env.Env.
func (k *Worker) WithCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	w := k.process.node.world
	if w.foreign() {
		return ctx, func(error) {}
	}
	c := w.newContext(k.process, ctx)
	return c, func(cause error) { c.end(context.Canceled, cause) }
}

// WithTimeout implements env.Env.
func (k *Worker) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	w := k.process.node.world
	if w.foreign() {
		return ctx, func() {}
	}
	c := w.newContext(k.process, ctx)
	c.deadline = k.Now().Add(d)
	if c.err == nil {
		k.process.node.arm(&c.timer, d)
	}
	return c, func() { c.end(context.Canceled, nil) }
}

// Go implements env.Env.
func (k *Worker) Go(name string, f func()) env.Sem {
	w := k.process.node.world
	if w.foreign() || w.closed {
		return newSem(w, 1)
	}
	return w.spawn(k, name, f).done
}

// Start starts a task that calls prepare and then the body that prepare returns, without an event in between. The
// body has a stack of its own: the one that prepare has made grow is not kept while the body waits, since a large world
// has 100,000 waiting tasks.
func (k *Worker) Start(name string, prepare func() (body func())) {
	w := k.process.node.world
	if w.foreign() || w.closed {
		return
	}
	w.spawn(k, name, nil).first = prepare
}

// Go starts a task of the current worker. Client libraries use it for their background tasks.
func (w *World) Go(name string, f func()) {
	if t := w.current; t != nil {
		t.worker.Go(name, f)
	}
}

// NewSem implements env.Env.
func (k *Worker) NewSem(n int) env.Sem { return newSem(k.process.node.world, n) }

// Rand implements env.Env.
func (k *Worker) Rand(name string) *rand.Rand {
	if k.process.node.world.foreign() {
		return k.process.node.world.source.Stream(name, "nobody").Rand()
	}
	for _, s := range k.random {
		if s.name == name {
			return s.Rand
		}
	}
	entity := k.name
	if k.restarts > 0 {
		entity = fmt.Sprintf("%s, life %d", k.name, k.restarts+1)
	}
	r := k.process.node.world.source.Stream(name, entity).Rand()
	k.random = append(k.random, stream{name, r})
	return r
}

// Point implements env.Env: the worker stays at the point for Config.Step, or longer if a fault
// stops it there.
func (k *Worker) Point(name string) {
	w := k.process.node.world
	if w.foreign() || w.closed || k.process.crashed {
		return
	}
	k.pass(w.points.id(name))
	if t := w.current; t != nil {
		t.sleep(nil, w.cfg.Step, classStep)
	}
}

// enter begins every call that may park. It returns the current task and the simContext of ctx. It
// returns an error for a context that has ended or was not made by the world, and for a goroutine
// that is not a task. If the run has failed it does not return.
func (w *World) enter(ctx context.Context) (*task, *simContext, error) {
	if w.foreign() {
		return nil, nil, ErrForeignGoroutine
	}
	t := w.current
	if w.closed || t == nil || t.worker.process.crashed {
		return nil, nil, ErrOver
	}
	if w.failIfMisused(); w.err != nil {
		t.wait() // until the run is closed
	}
	sc, err := w.contextOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	if sc != nil && sc.err != nil {
		return nil, nil, sc.cause
	}
	return t, sc, nil
}
