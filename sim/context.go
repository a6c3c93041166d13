package sim

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"
)

// simContext is a context that ends in virtual time.
type simContext struct {
	context.Context // the parent
	world           *World
	process         *Process
	up              *simContext // the nearest ancestor that can end
	children        []*simContext
	done            chan struct{}
	err             error
	cause           error
	ended           context.Context // an ended context that context.Cause finds; made when needed
	deadline        time.Time       // by the local wall clock, as Deadline returns it
	timer           event
	waiters         []*task
	onEnd           []func()
}

// simContextKey finds the nearest simContext above a context.
type simContextKey struct{}

func (c *simContext) Value(key any) any {
	if key == (simContextKey{}) {
		return c
	}
	if !c.world.foreign() && c.err != nil && !errors.Is(c.cause, c.err) {
		// context.Cause asks the context, by an unexported key, for one of package context's own
		// types. This one answers with such a context.
		if c.ended == nil {
			ended, cancel := context.WithCancelCause(context.Background()) //nolint:forbidigo // it has ended before anybody sees it
			cancel(c.cause)
			c.ended = ended
		}
		if v := c.ended.Value(key); v != nil {
			return v
		}
	}
	return c.Context.Value(key)
}

func (c *simContext) Err() error {
	if c.world.foreign() {
		return ErrForeignGoroutine
	}
	return c.err
}

func (c *simContext) Deadline() (time.Time, bool) {
	if c.deadline.IsZero() {
		return c.Context.Deadline()
	}
	if above, ok := c.Context.Deadline(); ok && above.Before(c.deadline) {
		return above, true
	}
	return c.deadline, true
}

func (c *simContext) Done() <-chan struct{} {
	if c.world.foreign() {
		over := make(chan struct{})
		close(over)
		return over
	}
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// AfterFunc lets package context derive contexts from this one without a goroutine.
func (c *simContext) AfterFunc(f func()) (stop func() bool) {
	stopped, ran := false, false
	if c.world.foreign() {
		return func() bool { return false }
	}
	c.whenEnded(func() {
		if !stopped {
			ran = true
			f()
		}
	})
	return func() bool {
		if c.world.foreign() {
			return false
		}
		was := !stopped && !ran
		stopped = true
		return was
	}
}

// OnEnd calls f when ctx ends. It never calls f if ctx cannot end or was not made by a world.
func OnEnd(ctx context.Context, f func()) {
	if c, ok := ctx.Value(simContextKey{}).(*simContext); ok && !c.world.foreign() && ctx.Done() == c.Done() {
		c.whenEnded(f)
	}
}

func (c *simContext) whenEnded(f func()) {
	if c.err != nil {
		f()
		return
	}
	c.onEnd = append(c.onEnd, f)
}

// contextOf returns the simContext that ctx ends with, nil if ctx cannot end. A context from
// elsewhere fails the run with ErrForeignContext.
func (w *World) contextOf(ctx context.Context) (*simContext, error) {
	if c, ok := ctx.(*simContext); ok {
		return c, nil
	}
	done := ctx.Done()
	if done == nil {
		return nil, nil
	}
	if c, ok := ctx.Value(simContextKey{}).(*simContext); ok && done == c.Done() {
		return c, nil
	}
	w.Fail(&MisuseError{ErrForeignContext, string(debug.Stack())})
	return nil, ErrForeignContext
}

// newContext returns a context below parent that can end. If the parent is from elsewhere, it has
// already ended.
func (w *World) newContext(p *Process, parent context.Context) *simContext {
	up, err := w.contextOf(parent)
	c := &simContext{Context: parent, world: w, process: p, up: up}
	if err != nil {
		c.err, c.cause = context.Canceled, err
		return c
	}
	c.timer.what = c
	if c.up != nil {
		if c.up.err != nil {
			c.err, c.cause = c.up.err, c.up.cause
			return c
		}
		c.up.children = append(c.up.children, c)
	}
	return c
}

// end ends the context and its descendants, in the order in which they were made.
func (c *simContext) end(err, cause error) {
	if c.world.foreign() || c.err != nil {
		return
	}
	if cause == nil {
		cause = err
	}
	c.err, c.cause = err, cause
	c.world.cancel(&c.timer)
	if c.done != nil {
		close(c.done)
	}
	if c.up != nil {
		if i := slices.Index(c.up.children, c); i >= 0 {
			c.up.children = slices.Delete(c.up.children, i, i+1)
		}
	}
	waiters := c.waiters
	c.waiters = nil
	for _, t := range waiters {
		t.ctx = nil
		t.wake(byContext)
	}
	for _, f := range c.onEnd {
		f()
	}
	c.onEnd = nil
	for _, child := range slices.Clone(c.children) {
		child.end(err, cause)
	}
}

// fire handles the deadline.
func (c *simContext) fire() {
	if c.process.crashed || c.process.postpone(&c.timer, classDeadline) {
		return
	}
	c.end(context.DeadlineExceeded, nil)
}

func (c *simContext) watch(t *task) { c.waiters = append(c.waiters, t) }

func (c *simContext) unwatch(t *task) {
	if i := slices.Index(c.waiters, t); i >= 0 {
		c.waiters = slices.Delete(c.waiters, i, i+1)
	}
}
