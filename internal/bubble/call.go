package bubble

import (
	"context"
	"runtime/debug"

	"lockquake/sim"
)

// ExitError means that a call ended its goroutine: it called runtime.Goexit, as FailNow, Fatal and SkipNow of a test do.
type ExitError struct {
	Place string // file and line, outside of the Go libraries
}

// Error implements error.
func (e *ExitError) Error() string { return "the lock called t.FailNow or t.SkipNow at " + e.Place }

// Call executes f in a goroutine of the bubble, while the calling task of the worker waits. The context of f
// ends when ctx ends, also after f has returned, and at the end of the run. Call returns sim.ErrOver if the run ends
// before f does, a [*sim.PanicError] if f panics, and an [*ExitError] if f ends its goroutine.
func (b *Bubble) Call(ctx context.Context, k *sim.Worker, f func(ctx context.Context)) error {
	if b.closed {
		return sim.ErrOver
	}
	var (
		returned = k.NewSem(0)
		err      = sim.ErrOver
		cancel   context.CancelCauseFunc
	)
	b.calls++
	b.now(command{start: func() {
		inside, end := context.WithCancelCause(b.ctx) //nolint:forbidigo // in the bubble
		cancel = end
		finished := false
		defer func() {
			switch v := recover(); {
			case v != nil:
				err = &sim.PanicError{Worker: k.Name(), Task: "main", Value: v, Stack: string(debug.Stack())}
			case !finished:
				err = &ExitError{Place: PlaceOf(string(debug.Stack()))}
			default:
				err = nil
			}
			b.put(&ask{worker: k, key: k.Name() + " returns", ended: func() {
				b.calls--
				returned.Release()
			}})
		}()
		f(inside)
		finished = true
	}})
	sim.OnEnd(ctx, func() {
		cause := context.Cause(ctx)
		k.Go("cancel", func() { // the process may be paused
			if !b.closed {
				b.now(command{do: func() { cancel(cause) }})
			}
		})
	})
	_ = returned.Acquire(context.Background())
	return err
}
