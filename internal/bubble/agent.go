package bubble

import (
	"context"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"lockquake/sim"
)

// command is one command of the world to the agent. The agent delays the timers, moves the clock, and then does one of
// start, do, deliver and end, as far as they are set.
type command struct {
	delay   func(due time.Duration) time.Duration // between readings of the clock; it is called for each timer, the earliest first
	to      time.Duration                         // the reading of the clock to move to
	through bool                                  // do not stop when a goroutine asks for something
	start   func()                                // in a goroutine of its own
	do      func()                                // in the agent; it does not block
	deliver *ask
	end     bool
}

// answer is the state of the bubble after a command, when every goroutine is blocked.
type answer struct {
	clock time.Duration
	asks  []*ask // in the order of their times, and of their keys at one time
	lost  bool   // the timers to delay were not found
}

// agent is the main goroutine of the bubble. It returns at the command to end.
func (b *Bubble) agent(wall time.Time, mono time.Duration) {
	b.ctx, b.cancel = context.WithCancelCause(context.Background()) //nolint:forbidigo // in the bubble
	b.timer = time.NewTimer(0)                                      //nolint:forbidigo // in the bubble
	b.timer.Stop()
	time.Sleep(time.Until(wall))                                       //nolint:forbidigo // in the bubble
	origin := time.Now()                                               //nolint:forbidigo // in the bubble
	clock := func() time.Duration { return mono + time.Since(origin) } //nolint:forbidigo // in the bubble
	start := origin.Add(-mono).UnixNano()                              // the time at which the clock reads 0
	var late lateTimers
	for c := range b.commands {
		if c.end {
			b.release()
			time.Sleep(unwinding) //nolint:forbidigo // in the bubble
			synctest.Wait()       // what goes on must not run beside the next run
			b.answers <- answer{clock: clock()}
			return
		}
		lost := c.delay != nil &&
			!late.delay(func(due int64) int64 { return start + int64(c.delay(time.Duration(due-start))) })
		var asks []*ask
		for clock() < c.to && (c.through || len(asks) == 0) {
			b.wait(min(c.to, time.Duration(late.before(start+int64(clock()))-start)) - clock())
			synctest.Wait()
			asks = append(asks, b.collect()...)
		}
		switch {
		case c.start != nil:
			go c.start()
		case c.do != nil:
			c.do()
		case c.deliver != nil:
			close(c.deliver.done)
		default:
			b.answers <- answer{clock(), asks, lost}
			continue
		}
		synctest.Wait()
		b.answers <- answer{clock(), append(asks, b.collect()...), lost}
	}
}

// wait lets d pass, or less if a goroutine asks for something before: see put.
func (b *Bubble) wait(d time.Duration) {
	b.timer.Reset(d)
	<-b.timer.C
}

// collect returns what the goroutines have asked for since the last command.
func (b *Bubble) collect() []*ask {
	b.mu.Lock()
	defer b.mu.Unlock()
	asks := b.outbox
	b.outbox = nil
	slices.SortStableFunc(asks, func(x, y *ask) int { return strings.Compare(x.key, y.key) })
	return asks
}

// unwinding is the time of the bubble that its goroutines have to end after the run: those that wait for a timer
// see then that their contexts and clients have ended. The functions of AtEnd have closing to return.
const (
	unwinding = time.Minute
	closing   = unwinding / 2
)

// release lets every goroutine that waits for the world go on, fails its further calls, ends its contexts and closes
// its clients.
func (b *Bubble) release() {
	b.mu.Lock()
	b.over = true
	asks, atEnd := b.outbox, b.atEnd
	b.outbox, b.atEnd = nil, nil
	b.mu.Unlock()
	for _, a := range asks {
		if a.done != nil {
			close(a.done)
		}
	}
	for _, a := range b.open {
		close(a.done)
	}
	b.cancel(sim.ErrOver)
	go callBackward(atEnd)
}

// callBackward calls functions, the last one first. Each begins when the one before has returned, or when all have taken too long.
func callBackward(list []func()) {
	late, stop := context.WithTimeout(context.Background(), closing) //nolint:forbidigo // in the bubble
	defer stop()
	for _, do := range slices.Backward(list) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			do()
		}()
		select {
		case <-done:
		case <-late.Done():
		}
	}
}
