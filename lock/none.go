package lock

import "context"

// unlocked runs every section at once, without a lock.
type unlocked struct{}

func (unlocked) Do(ctx context.Context, _ string, r Resource, body Body) error {
	return body(ctx, section{lease: noLease{ctx}, resource: r})
}

// DoShared implements Sharer: readers do not wait for each other either.
func (u unlocked) DoShared(ctx context.Context, key string, r Resource, body Body) error {
	return u.Do(ctx, key, r, body)
}

// DoPermit implements Semaphore: there is no limit.
func (u unlocked) DoPermit(ctx context.Context, key string, _ int, r Resource, body Body) error {
	return u.Do(ctx, key, r, body)
}

// noLease is the lease of a section that runs without a lock.
type noLease struct{ ctx context.Context }

func (l noLease) Context() context.Context      { return l.ctx }
func (noLease) Check() error                    { return nil }
func (noLease) Token() int64                    { return 0 }
func (noLease) Release(_ context.Context) error { return nil }
