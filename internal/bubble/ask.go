package bubble

import (
	"runtime"
	"slices"

	"lockquake/sim"
)

// ask is something that a goroutine of the bubble wants from the world.
type ask struct {
	worker *sim.Worker
	key    string // its place among those of one instant
	do     func() // executed by a task of the world
	done   chan struct{}
	ended  func() // instead of do: the call of a task of the world has returned
}

// patience is how many calls a goroutine may make after the end of the run before it is ended. A loop
// that retries for ever ends in this way.
const patience = 100

// Ask executes do in a task of the worker, while the calling goroutine of the bubble waits. The key orders
// requests that are made at one instant, and should name the server and the request. Ask returns sim.ErrOver
// without executing do after the end of the run, or if the process crashes.
func (b *Bubble) Ask(k *sim.Worker, key string, do func()) error {
	if b.isOver() {
		return sim.ErrOver
	}
	a := &ask{worker: k, key: k.Name() + " " + key, do: do, done: make(chan struct{})}
	b.put(a)
	<-a.done
	if b.isOver() {
		return sim.ErrOver
	}
	return nil
}

// AtEnd calls do in a goroutine of the bubble at the end of the run, or at once after it. Of several functions the last one is
// called first, and the next one when it has returned, as with the Cleanup of a test. A goroutine of the bubble calls AtEnd.
func (b *Bubble) AtEnd(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		go do()
		return
	}
	b.atEnd = append(b.atEnd, do)
}

// put leaves something for the world. If the agent waits for time to pass, it goes on at this instant.
func (b *Bubble) put(a *ask) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outbox = append(b.outbox, a); len(b.outbox) == 1 {
		b.timer.Reset(0)
	}
}

// isOver reports whether the run has ended. It ends a goroutine of a run that has ended long ago.
func (b *Bubble) isOver() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		if b.refused++; b.refused > patience {
			runtime.Goexit()
		}
	}
	return b.over
}

// tasks returns functions that take up what the bubble has asked for.
func (b *Bubble) tasks(asks []*ask) []func() {
	var all []func()
	for _, a := range asks {
		if a.ended != nil {
			all = append(all, a.ended)
			continue
		}
		b.open = append(b.open, a)
		all = append(all, func() { a.worker.Go("library", func() { b.answer(a) }) })
	}
	return all
}

// answer does what is asked for, and lets the goroutine that waits for it go on.
func (b *Bubble) answer(a *ask) {
	a.do()
	if i := slices.Index(b.open, a); i >= 0 && !b.closed {
		b.open = slices.Delete(b.open, i, i+1)
		b.now(command{deliver: a})
	}
}
