package bubble

import (
	"context"
	"fmt"
	"runtime/debug"

	"lockquake/sim"
)

// PanicError is a panic of a function that [Bubble.Call] executes.
type PanicError struct {
	Value any
	Stack string // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Call executes f in a goroutine of the bubble, while the calling task of the worker waits. The context of f
// ends when ctx ends, also after f has returned. Call returns sim.ErrOver if the run ends before f does, and a [*PanicError] if f panics.
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
		inside, end := context.WithCancelCause(context.Background()) //nolint:forbidigo // in the bubble
		cancel = end
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{v, string(debug.Stack())}
			}
			b.put(&ask{worker: k, key: k.Name() + " returns", ended: func() {
				b.calls--
				returned.Release()
			}})
		}()
		err = nil
		f(inside)
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
