package bubble

import (
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
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

	ended  *atomic.Bool // the test is over: the bubble stands still
	clock  time.Duration
	calls  int    // of the world that have not returned
	open   []*ask // taken up by the world and not answered
	delays bool   // see LateTimers
	late   []span // readings at which late timers of one processor fire, one in each ns
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

// span is a range of readings of the clock, with both ends.
type span struct{ first, last time.Duration }

var _ sim.Outsider = (*Bubble)(nil)

// New makes the bubble of a process and attaches it to the world. In the bubble time.Now is the wall clock
// of the node at first, and goes on with its monotonic clock. The end of the run closes it. The stack of a panic
// shows rerun, the command that repeats the run, beside the goroutine; "" for none. A run that hangs may go on when its test has
// ended and another one runs. Set ended then: the run stops where it gives its next command to a bubble.
func New(t *testing.T, p *sim.Process, rerun string, ended *atomic.Bool) *Bubble {
	durableMutexes()
	b := &Bubble{process: p, ended: ended, commands: make(chan command), answers: make(chan answer), clock: p.Node().Mono(), delays: LateTimers(t) == nil}
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

// errLost is the error of a run that cannot delay its timers although LateTimers has found those of its check.
var errLost = errors.New("bubble: a process wakes, and its timers are not found in the memory of " + runtime.Version())

// tell gives a command and returns what the bubble asks for.
func (b *Bubble) tell(c command) []func() {
	if b.ended.Load() {
		select {}
	}
	b.commands <- c
	a := <-b.answers
	b.clock = a.clock
	if a.lost {
		b.process.Node().World().Fail(errLost)
	}
	return b.tasks(a.asks)
}

// now lets the clock catch up with that of the process, gives a command, and takes up at once what the
// bubble asks for.
func (b *Bubble) now(c command) {
	c.to, c.through = b.lastOf(b.process.Node().Mono()), true
	for _, do := range b.tell(c) {
		do()
	}
}

// Advance implements sim.Outsider.
func (b *Bubble) Advance(to time.Duration) (time.Duration, []func()) {
	asks := b.tell(command{to: to})
	if last := b.lastOf(b.clock); last > b.clock {
		asks = append(asks, b.tell(command{to: last, through: true})...)
	}
	return b.clock, asks
}

// Wake implements sim.Outsider. The late timers of one processor fire 1 ns apart, in the order in which they were due. So what one of
// them wakes has come to rest before the next one fires, and the order of goroutines does not depend on the scheduler of Go. For
// the world they all fire at one instant.
func (b *Bubble) Wake(late func(due time.Duration) time.Duration) bool {
	if !b.delays || b.closed {
		return false
	}
	b.late = nil
	b.tell(command{delay: func(due time.Duration) time.Duration {
		at := max(late(due), b.clock+1) // in the future
		i := slices.IndexFunc(b.late, func(s span) bool { return s.first == at })
		if i < 0 {
			b.late = append(b.late, span{at, at})
			return at
		}
		b.late[i].last++
		return b.late[i].last
	}})
	b.now(command{}) // through the late timers that fire at once
	return true
}

// lastOf returns the last reading at which the late timers fire that have begun to fire at a reading, or else this reading.
func (b *Bubble) lastOf(at time.Duration) time.Duration {
	for _, s := range b.late {
		if s.first <= at && at < s.last {
			return s.last
		}
	}
	return at
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
