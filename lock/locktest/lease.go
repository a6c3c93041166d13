package locktest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"lockquake/lock"
)

// Lease is the value that a lock library returns when it has acquired a lock. A method of it releases the lock. These
// are known, in this order: Release, UnlockContext, Unlock and Close, each with a context or without, which return
// nothing, an error, or a bool and an error. The bool is false if the lock was lost. A Lease can also have
// the methods of [lock.Lease]: Context, Check and Token.
type Lease any

// Locker makes a lock from a function that acquires. The function returns an error if it did not get the lock;
// the lease is then ignored. An error that wraps lock.ErrNotObtained means that others had the lock; after any
// other error it is unknown whether the lock is held.
func Locker(acquire func(ctx context.Context, key string) (Lease, error)) lock.Locker {
	return locker(acquire)
}

type locker func(ctx context.Context, key string) (Lease, error)

// Acquire implements lock.Locker.
func (l locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	of, err := l(ctx, key)
	switch {
	case errors.Is(err, lock.ErrNotObtained):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	release := releaseOf(of)
	if release == nil {
		return nil, &leaseError{of}
	}
	return &lease{ctx, of, release}, nil
}

// leaseError is the error of a lease that cannot be released.
type leaseError struct{ of Lease }

// Error implements error.
func (e *leaseError) Error() string {
	return fmt.Sprintf("locktest: %T has no method Release, UnlockContext, Unlock or Close that takes nothing or a context, and returns nothing, an error, or a bool and an error", e.of)
}

// lease adapts the lease of a library.
type lease struct {
	ctx     context.Context
	of      Lease
	release func(ctx context.Context) error
}

// Context implements lock.Lease.
func (l *lease) Context() context.Context {
	if c, ok := l.of.(interface{ Context() context.Context }); ok {
		return c.Context()
	}
	return l.ctx
}

// Check implements lock.Lease.
func (l *lease) Check() error {
	if c, ok := l.of.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// Token implements lock.Lease.
func (l *lease) Token() int64 {
	if c, ok := l.of.(interface{ Token() int64 }); ok {
		return c.Token()
	}
	return 0
}

// Release implements lock.Lease.
func (l *lease) Release(ctx context.Context) error { return l.release(ctx) }

// releaseOf returns the method that releases a lease, nil if it has none.
func releaseOf(l Lease) func(ctx context.Context) error {
	v := reflect.ValueOf(l)
	if !v.IsValid() {
		return nil
	}
	for _, method := range []reflect.Value{v.MethodByName("Release"), v.MethodByName("UnlockContext"), v.MethodByName("Unlock"), v.MethodByName("Close")} {
		if !method.IsValid() {
			continue
		}
		switch release := method.Interface().(type) {
		case func(context.Context) error:
			return release
		case func() error:
			return func(context.Context) error { return release() }
		case func(context.Context) (bool, error):
			return func(ctx context.Context) error { return lostUnless(release(ctx)) }
		case func() (bool, error):
			return func(context.Context) error { return lostUnless(release()) }
		case func(context.Context):
			return func(ctx context.Context) error { release(ctx); return nil }
		case func():
			return func(context.Context) error { release(); return nil }
		}
	}
	return nil
}

// lostUnless turns the answer "not released" into lock.ErrLost.
func lostUnless(released bool, err error) error {
	if err == nil && !released {
		return lock.ErrLost
	}
	return err
}
