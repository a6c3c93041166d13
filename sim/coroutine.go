package sim

import (
	"iter"
	"runtime"
)

// coroutine parks and resumes a task. It is based on package iter: a switch does not involve the scheduler.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// start prepares the coroutine: body runs at the first resume.
func (c *coroutine) start(body func()) {
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		grow(0)
		body()
	})
}

// grow makes the stack of a new coroutine 8 KB, which most tasks need. A stack that grows by and by, each time
// to twice its size, leaves its smaller copies behind, which take as much memory as the stack itself.
//
//go:noinline
func grow(at uint) byte {
	const frame = 5 << 10 // more than fits into 4 KB, and less than fits into 8 KB
	var room [frame]byte
	return room[at%frame] // which the compiler does not know, else it would leave out the frame
}

// resume runs the task until it parks. The world calls it.
func (c *coroutine) resume() { c.next() }

// park returns at the next resume. The task calls it. After kill it does not return but unwinds the task.
func (c *coroutine) park() {
	if !c.yield(struct{}{}) {
		runtime.Goexit()
	}
}

// kill unwinds a parked task and ends the coroutine. It may end the calling goroutine.
func (c *coroutine) kill() { c.stop() }
