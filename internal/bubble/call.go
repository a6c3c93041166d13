package bubble

import (
	"context"
	"runtime/debug"

	"lockquake/sim"
)

// Call executes f in a goroutine of the bubble, while the calling task of the worker waits. The context of f
// ends when ctx ends, also after f has returned, and at the end of the run. Call returns sim.ErrOver if the run ends
// before f does, and a [*sim.PanicError] if f panics.
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
		defer func() {
			if v := recover(); v != nil {
				err = &sim.PanicError{Worker: k.Name(), Task: "main", Value: v, Stack: string(debug.Stack())}
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
