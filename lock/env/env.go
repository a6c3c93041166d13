package env

import (
	"context"
	"math/rand/v2"
	"time"
)

// Env is all that a lock may know of the world around it. There is one for
// each worker, and the tasks that a worker starts inherit it.
//
// A lock that takes time, tasks, random numbers and contexts from here, and
// from nowhere else, runs unchanged in the simulation and on a real machine.
type Env interface {
	// Now is the local wall clock, without a monotonic reading. It may jump.
	Now() time.Time
	// Mono is the local monotonic clock. Only differences mean anything.
	Mono() time.Duration
	// Sleep returns nil after d, or the cause of ctx as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// WithCancel is context.WithCancelCause in the time of this Env.
	WithCancel(ctx context.Context) (context.Context, context.CancelCauseFunc)
	// WithTimeout is context.WithTimeout on the monotonic clock of this Env.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Go starts a task of this worker. The semaphore is released when f ends,
	// so acquiring it waits for the task.
	Go(name string, f func()) Sem
	// NewSem returns a semaphore with n permits: 0 a latch, 1 a mutex.
	NewSem(n int) Sem
	// Rand returns this worker's random numbers for one purpose. The same
	// stream continues over calls; streams do not disturb each other.
	Rand(stream string) *rand.Rand
	// Point names the step that the worker is at, so that a fault may fall
	// exactly here. On a real machine it does nothing.
	Point(name string)
	// Exit ends the process of this worker at once, for the reason err: nothing
	// that was deferred runs, and Exit does not return.
	Exit(err error)
}

// Sem is a counting semaphore whose waiters are served in the order in which
// they came.
type Sem interface {
	// Acquire takes a permit, or returns the cause of ctx if that ends first.
	Acquire(ctx context.Context) error
	// TryAcquire takes a permit if one is free, and reports whether it did.
	TryAcquire() bool
	// Release gives a permit back.
	Release()
}

// opKey is the context key of WithOp.
type opKey struct{}

// WithOp names what a request to a lock server is for: acquire, renew,
// release. The name is what a fault, a trace or an error message calls it by;
// without one a request is called by its command.
func WithOp(ctx context.Context, op string) context.Context {
	return context.WithValue(ctx, opKey{}, op)
}

// Op returns the name that WithOp gave, or "".
func Op(ctx context.Context) string {
	op, _ := ctx.Value(opKey{}).(string)
	return op
}
