package lock

import "context"

// Locker hands out leases of named locks. An implementation is built for one
// worker and used by that worker's tasks only.
type Locker interface {
	// Acquire waits for the lock of key as long as the strategy's retry policy
	// says. It returns ErrNotObtained when it gave up, ErrUnknown when it
	// cannot tell whether it holds the lock, or the cause of ctx, after it has
	// undone what it had asked for.
	Acquire(ctx context.Context, key string) (Lease, error)
}

// Lease is one grant of a lock.
type Lease interface {
	// Context is the caller's context, or one that ends with cause ErrLost if
	// the strategy tells its holder that the grant is gone.
	Context() context.Context
	// Check returns ErrLost if the lease is over by the holder's own clock. A
	// strategy that does not look at its clock returns nil.
	Check() error
	// Token is the fence token of the grant, 0 if the strategy has none.
	Token() int64
	// Release gives the lock back. It returns ErrLost when the grant was no
	// longer the holder's, ErrUnknown when nobody answered.
	Release(ctx context.Context) error
}

// Resource is what the lock protects: named items that hold one value each.
// Token is handed on as the strategy's fence; 0 is no fence.
//
// Both methods return ErrRefused when the resource declined the token, and
// any other error when it is unknown whether the request took effect.
type Resource interface {
	Read(ctx context.Context, item string, token int64) (string, error)
	Write(ctx context.Context, item, value string, token int64) error
}

// Section is the resource as the body of a critical section sees it: the
// strategy attaches its token, and makes its own check before a write.
type Section interface {
	Token() int64
	// Check is that of the lease: ErrLost if it is over by the holder's clock.
	Check() error
	Read(ctx context.Context, item string) (string, error)
	Write(ctx context.Context, item, value string) error
}

// Body is the work done under a lock. Its context ends when the strategy
// tells the holder that the grant is lost.
type Body func(ctx context.Context, s Section) error

// Strategy runs one critical section from the first request for the lock to
// the last word about it. WithLock makes one of a Locker; optimistic
// concurrency, a job claim or a transaction are strategies of their own.
type Strategy interface {
	// Do runs body at most once with key locked. Its error is the body's, or
	// that of the lock, or both joined; it is nil only if the body was run.
	Do(ctx context.Context, key string, r Resource, body Body) error
}

// WithLock makes a Strategy of a Locker: it acquires, runs the body, and always
// releases. The release has a context that does not end with the caller's, so a
// cancelled section gives its lock back. An error of the release is joined to the
// body's result. Without an error of the body, an error of the release is returned
// alone.
func WithLock(l Locker) Strategy { return Recipe{Locker: l} }

// Recipe is WithLock with the two parts that every family has: what happens without
// the lock, and how a section ends.
type Recipe struct {
	Locker  Locker
	Refused Refusal // nil: the work does not run
	End     Ending  // nil: EndSection
}

// Do implements Strategy.
func (w Recipe) Do(ctx context.Context, key string, r Resource, body Body) error {
	lease, err := w.Locker.Acquire(ctx, key)
	switch {
	case err != nil && w.Refused != nil:
		return w.Refused(ctx, r, body, err)
	case err != nil:
		return err
	}
	bodyErr := body(lease.Context(), section{lease, r})
	if w.End != nil {
		return w.End(ctx, lease, bodyErr)
	}
	return EndSection(ctx, lease, bodyErr)
}

// section is the Section of a lease.
type section struct {
	lease    Lease
	resource Resource
}

func (s section) Token() int64 { return s.lease.Token() }
func (s section) Check() error { return s.lease.Check() }

func (s section) Read(ctx context.Context, item string) (string, error) {
	return s.resource.Read(ctx, item, s.lease.Token())
}

func (s section) Write(ctx context.Context, item, value string) error {
	if err := s.lease.Check(); err != nil {
		return err
	}
	return s.resource.Write(ctx, item, value, s.lease.Token())
}
