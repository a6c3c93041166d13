package bubble

import (
	"context"
	"runtime/pprof"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lockquake/sim"
)

// Bubble is a process of a world whose code runs in a synctest bubble. It implements sim.Outsider. Call and
// the methods of sim.Outsider are for the world; Ask is for goroutines of the bubble.
type Bubble struct {
	process  *sim.Process
	commands chan command // both are made outside of the bubble: waiting for them is not durable
	answers  chan answer

	clock  time.Duration
	calls  int    // of the world that have not returned
	open   []*ask // taken up by the world and not answered
	closed bool

	// For the goroutines of the bubble.
	ctx     context.Context // ends with the run
	cancel  context.CancelCauseFunc
	mu      sync.Mutex
	over    bool
	outbox  []*ask
	atEnd   []func()
	timer   *time.Timer // of the agent
	refused int
}

var _ sim.Outsider = (*Bubble)(nil)

// New makes the bubble of a process and attaches it to the world. In the bubble time.Now is the wall clock
// of the node at first, and goes on with its monotonic clock. The end of the run closes it. The stack of a panic
// shows rerun, the command that repeats the run, beside the goroutine; "" for none.
func New(t *testing.T, p *sim.Process, rerun string) *Bubble {
	b := &Bubble{process: p, commands: make(chan command), answers: make(chan answer), clock: p.Node().Mono()}
	wall, mono := p.Node().Now(), b.clock
	labels := pprof.Labels()
	if rerun != "" {
		labels = pprof.Labels("rerun", rerun)
	}
	go pprof.Do(context.Background(), labels, func(context.Context) {
		// A goroutine that waits for ever for another one of its process remains, and synctest panics.
		defer func() { _ = recover() }()
		synctest.Test(t, func(*testing.T) { b.agent(wall, mono) })
	})
	p.Attach(b)
	return b
}

// tell gives a command and returns what the bubble asks for.
func (b *Bubble) tell(c command) []func() {
	b.commands <- c
	a := <-b.answers
	b.clock = a.clock
	return b.tasks(a.asks)
}

// now lets the clock catch up with that of the process, gives a command, and takes up at once what the
// bubble asks for.
func (b *Bubble) now(c command) {
	c.to, c.through = b.process.Node().Mono(), true
	for _, do := range b.tell(c) {
		do()
	}
}

// Advance implements sim.Outsider.
func (b *Bubble) Advance(to time.Duration) (time.Duration, []func()) {
	asks := b.tell(command{to: to})
	return b.clock, asks
}

// Clock implements sim.Outsider.
func (b *Bubble) Clock() time.Duration { return b.clock }

// Busy implements sim.Outsider.
func (b *Bubble) Busy() bool { return b.calls > 0 }

// Close implements sim.Outsider.
func (b *Bubble) Close() {
	if !b.closed {
		b.closed = true
		b.tell(command{end: true})
	}
}
