package lock

import "context"

// Locker hands out leases of named locks. An implementation is built for one
// worker and used by that worker's tasks only.
type Locker interface {
	// Acquire waits for the lock of key as long as the retry policy of the
	// strategy allows. Without a lease it returns ErrNotObtained if other owners
	// held the lock all the time, ErrUnknown if it cannot tell whether it holds
	// the lock, or the cause of ctx after it has undone its requests.
	Acquire(ctx context.Context, key string) (Lease, error)
}

// Lease is one grant of a lock.
type Lease interface {
	// Context returns the caller's context, or one that ends with cause ErrLost
	// as soon as the strategy knows that the grant is lost.
	Context() context.Context
	// Check returns ErrLost if the lease is over by the holder's own clock. A
	// strategy that does not compare its clock with the lease returns nil.
	Check() error
	// Token returns the fencing token of the grant, 0 if the strategy has none.
	Token() int64
	// Release gives the lock back. It returns ErrLost if the grant had ended
	// before, and ErrUnknown if no server answered.
	Release(ctx context.Context) error
}

// Resource is the data that the lock protects: named items with one value each.
// The token is the fencing token of the request; 0 for none.
//
// Both methods return ErrRefused if the resource refused the token. After any
// other error it is unknown whether the request took effect.
type Resource interface {
	Read(ctx context.Context, item string, token int64) (string, error)
	Write(ctx context.Context, item, value string, token int64) error
}

// Section is the resource as the body of a critical section uses it. The
// strategy adds its fencing token to each request, and checks its lease before a
// write.
type Section interface {
	Token() int64
	// Check is Check of the lease: it returns ErrLost if the lease is over by the
	// holder's clock.
	Check() error
	Read(ctx context.Context, item string) (string, error)
	Write(ctx context.Context, item, value string) error
}

// Body is the work done under a lock. Its context ends as soon as the strategy
// knows that the grant is lost.
type Body func(ctx context.Context, s Section) error

// Strategy runs one critical section, from the first request for the lock to the
// release. WithLock turns a Locker into a Strategy. Optimistic concurrency, a job claim and a
// transaction implement Strategy themselves.
type Strategy interface {
	// Do runs body with key locked. It returns the error of the body, the error of the
	// lock, or both joined. It returns nil only if the body ran.
	//
	// Do runs body at most once, with one exception: if it is certain that a run of the
	// body had no effect, Do may call Again and run the body again.
	Do(ctx context.Context, key string, r Resource, body Body) error
}

// Sharer is a Strategy that can also lock for reading: several readers have the lock at once,
// and no writer.
type Sharer interface {
	Strategy
	// DoShared is Do for a body that only reads.
	DoShared(ctx context.Context, key string, r Resource, body Body) error
}

// Semaphore is a Strategy whose locks can have several permits. Each holder has one of them.
type Semaphore interface {
	Strategy
	// DoPermit is Do with one of the permits of key, so that at most that many bodies run at
	// once. All callers name the same number of permits for a key.
	DoPermit(ctx context.Context, key string, permits int, r Resource, body Body) error
}

// MaxPermits is the highest number of permits of a lock.
const MaxPermits = 100

// MultiLocker is a Strategy that can lock several keys for one body.
type MultiLocker interface {
	Strategy
	// DoAll is Do with all keys locked. It locks them in one order for all callers, so that two
	// calls never wait for each other.
	DoAll(ctx context.Context, keys []string, r Resource, body Body) error
}

// WithLock turns a Locker into a Strategy: it acquires the lock, runs the body, and always
// releases. The release has a context that does not end when the caller's ends, so a cancelled
// section gives its lock back. Do joins the errors of the body and of the release.
func WithLock(l Locker) Strategy { return Recipe{Locker: l} }

// Recipe is WithLock with two parts that every family has: what happens to the work
// if the lock is not obtained, and how a section ends.
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

// section implements Section with a lease.
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
