package sim

import (
	"iter"
	"runtime"
)

// thread is how a task gives up the processor and gets it back. The engine
// needs no more of it than this, so a goroutine in a synctest bubble can take
// the coroutine's place.
type thread interface {
	// resume runs the task until it parks. The world calls it.
	resume()
	// park returns after the next resume. The task calls it. After kill it
	// does not return but unwinds the task.
	park()
	// kill unwinds a parked task and ends the thread. It may take down the
	// calling goroutine.
	kill()
}

// coroutine is a thread of package iter: a switch costs no scheduler.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// newCoroutine returns a thread that runs body at its first resume.
func newCoroutine(body func()) thread {
	c := &coroutine{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		body()
	})
	return c
}

func (c *coroutine) resume() { c.next() }

func (c *coroutine) park() {
	if !c.yield(struct{}{}) {
		runtime.Goexit()
	}
}

func (c *coroutine) kill() { c.stop() }
