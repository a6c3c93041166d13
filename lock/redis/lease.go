package redis

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// lease is one grant of a locker.
type lease struct {
	locker *locker
	ctx    context.Context
	key    string
	keys   []string // the records of the lock, and the token counter of a fenced lock
	owner  string
	token  int64
	// end is the end of the lease on the holder's monotonic clock. It is counted from
	// the time at which the last granted request was sent.
	end atomic.Int64

	// For renewal.
	lose    context.CancelCauseFunc                 // ends ctx with a cause; nil: the holder is not told of a loss
	stop    atomic.Pointer[context.CancelCauseFunc] // stops the renewal; nil before it has begun
	renewal env.Sem                                 // released when the renewal task has ended; nil: the release does not wait for it
	flag    atomic.Bool                             // raiseFlag: a renewal failed
	renewed time.Duration                           // startSameThread: the time of the last renewal
	handle  *atomic.Pointer[lease]                  // startZombie: the lease that the locker holds of the key

	// For several servers.
	behind    error        // why an earlier attempt may have left its keys on a quorum; nil: none has
	queues    []env.Sem    // one mutex for each server: a release waits for the renewals under way there
	abandoned *atomic.Bool // the attempt has failed, or its lease is being released
}

func (r *lease) Context() context.Context { return r.ctx }
func (r *lease) Token() int64             { return r.token }
func (r *lease) fenceKey() string         { return r.key + ":fence" }
func (r *lease) records() []string        { return r.locker.recordsOf(r.key) }

// Check implements lock.Lease.
func (r *lease) Check() error {
	if r.locker.renewal.onCheck != nil {
		r.locker.renewal.onCheck(r)
	}
	return r.locker.check(r.ctx, r.key, r.left())
}

// left returns the time for which the holder may still rely on the lease.
func (r *lease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// Release implements lock.Lease. It stops the renewal before it sends the request.
func (r *lease) Release(ctx context.Context) error {
	r.stopRenewal()
	if ctx.Err() != nil { // nothing is sent, so the outcome is known
		return fmt.Errorf("release %s: %w", r.key, context.Cause(ctx))
	}
	if r.renewal != nil {
		// A renewal under way must not reach the server after the release.
		if err := r.renewal.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
		}
	}
	held, err := r.requestRelease(ctx)
	err = releaseError(r.key, held || r.locker.release.ignoresLoss, err)
	if err == nil && r.flag.Load() {
		return fmt.Errorf("release %s: %w: a renewal had failed", r.key, lock.ErrLost)
	}
	return err
}

// releaseError returns the error of a release. Held reports whether the server still had the grant, if err is nil.
func releaseError(key string, held bool, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", key, lock.ErrUnknown, err)
	case !held:
		return fmt.Errorf("release %s: %w: the server had given it up before", key, lock.ErrLost)
	}
	return nil
}

// requestRelease asks the servers to free the key, and reports whether the lease had it.
func (r *lease) requestRelease(ctx context.Context) (bool, error) {
	l := r.locker
	if r.abandoned != nil {
		r.abandoned.Store(true)
	}
	held, err := l.ask(env.WithOp(ctx, "release"), r.queues, l.release.free(l, r))
	if l.release.ignoresAll {
		return true, nil
	}
	return held, err
}
