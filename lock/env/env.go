package env

import (
	"context"
	"math/rand/v2"
	"time"
)

// Env is everything that a lock may use of the world around it. Each worker has one, which its
// tasks share.
//
// A lock that gets time, tasks, random numbers and contexts only from its Env runs unchanged in the
// simulation and on a real machine.
type Env interface {
	// Now is the local wall clock, without a monotonic reading. It may jump.
	Now() time.Time
	// Mono is the local monotonic clock. Only differences of its readings have a meaning.
	Mono() time.Duration
	// Sleep returns nil after d, or the cause of ctx as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// WithCancel is context.WithCancelCause in the time of this Env.
	WithCancel(ctx context.Context) (context.Context, context.CancelCauseFunc)
	// WithTimeout is context.WithTimeout on the monotonic clock of this Env.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Go starts a task of this worker. The semaphore is released when f ends, so a caller can wait
	// for the task.
	Go(name string, f func()) Sem
	// NewSem returns a semaphore with n permits: with 0 it is a latch, with 1 a mutex.
	NewSem(n int) Sem
	// Rand returns this worker's random numbers for one purpose. Further calls continue the same
	// stream. Streams are independent of each other.
	Rand(stream string) *rand.Rand
	// Point names the worker's current step, so that a fault can be placed exactly here. On a real
	// machine it does nothing.
	Point(name string)
	// Exit ends the process of this worker at once because of err. Deferred functions do not run,
	// and Exit does not return.
	Exit(err error)
}

// Sem is a counting semaphore that serves its waiters in order.
type Sem interface {
	// Acquire takes a permit, or returns the cause of ctx if that ends first.
	Acquire(ctx context.Context) error
	// TryAcquire takes a permit if one is free, and reports whether it did.
	TryAcquire() bool
	// Release returns a permit.
	Release()
}

// opKey is the context key of WithOp.
type opKey struct{}

// WithOp names the purpose of a request to a lock server: acquire, renew, release. Faults, traces
// and error messages use the name. Without one they use the name of the command.
func WithOp(ctx context.Context, op string) context.Context {
	return &opContext{ctx, op}
}

// opContext is the context of WithOp.
type opContext struct {
	context.Context
	op string
}

func (c *opContext) Value(key any) any {
	if key == (opKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Op returns the name of WithOp, or "".
func Op(ctx context.Context) string {
	if c, ok := ctx.Value(opKey{}).(*opContext); ok {
		return c.op
	}
	return ""
}
