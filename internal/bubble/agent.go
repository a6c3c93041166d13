package bubble

import (
	"slices"
	"strings"
	"testing/synctest"
	"time"
)

// command is what the world tells the agent of a bubble. One of its fields is set.
type command struct {
	move    *time.Duration // to this reading of the clock
	start   func()         // in a goroutine of its own
	do      func()         // in the agent; it does not block
	deliver *ask
	end     bool
}

// answer is the state of the bubble after a command, when every goroutine is blocked.
type answer struct {
	clock time.Duration
	asks  []*ask // in the order of their keys
}

// agent is the main goroutine of the bubble. It returns at the command to end.
func (b *Bubble) agent(wall time.Time, mono time.Duration) {
	b.bell = make(chan struct{}, 1)
	time.Sleep(time.Until(wall))                                       //nolint:forbidigo // in the bubble
	origin := time.Now()                                               //nolint:forbidigo // in the bubble
	clock := func() time.Duration { return mono + time.Since(origin) } //nolint:forbidigo // in the bubble
	for c := range b.commands {
		switch {
		case c.end:
			b.release()
			b.answers <- answer{clock: clock()}
			return
		case c.move != nil:
			b.moveTo(*c.move - clock())
		case c.start != nil:
			go c.start()
		case c.do != nil:
			c.do()
		case c.deliver != nil:
			close(c.deliver.done)
		}
		synctest.Wait()
		b.answers <- answer{clock(), b.collect()}
	}
}

// moveTo lets d pass, or less if a goroutine asks for something before.
func (b *Bubble) moveTo(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d) //nolint:forbidigo // in the bubble
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.bell:
	}
}

// collect returns what the goroutines have asked for since the last command.
func (b *Bubble) collect() []*ask {
	select {
	case <-b.bell:
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	asks := b.outbox
	b.outbox = nil
	slices.SortStableFunc(asks, func(x, y *ask) int { return strings.Compare(x.key, y.key) })
	return asks
}

// release lets every goroutine that waits for the world go on, and fails its further calls.
func (b *Bubble) release() {
	b.mu.Lock()
	b.over = true
	asks := b.outbox
	b.outbox = nil
	b.mu.Unlock()
	for _, a := range asks {
		if a.done != nil {
			close(a.done)
		}
	}
	for _, a := range b.open {
		close(a.done)
	}
}
