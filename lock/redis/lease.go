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
	keys   []string // the key, and the counter of a fenced lock
	owner  string
	token  int64
	// end is when the holder may believe no longer, on its monotonic clock:
	// counted from the sending of the last request that was granted.
	end atomic.Int64

	// Only of a lease that is renewed by a task.
	lose    context.CancelCauseFunc
	stop    atomic.Pointer[context.CancelCauseFunc] // stops the renewal; nil: there is none yet
	renewal env.Sem                                 // released when the renewing task has ended
	flag    atomic.Bool                             // lateFlag: a renewal failed
	renewed time.Duration

	// Of several servers: a lane for each, so that a release comes after the
	// renewals that are under way there.
	lanes  []env.Sem
	over   *atomic.Bool           // of several servers: the attempt is given up or given back
	handle *atomic.Pointer[lease] // zombie: the lease that the locker holds
}

func (r *lease) Context() context.Context { return r.ctx }
func (r *lease) Token() int64             { return r.token }
func (r *lease) fenceKey() string         { return r.key + ":fence" }

// Check implements lock.Lease.
func (r *lease) Check() error {
	if r.locker.renewal.atCheck != nil {
		r.locker.renewal.atCheck(r)
	}
	return r.locker.look(r.ctx, r.key, r.left())
}

// left is how long the holder may still believe.
func (r *lease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// Release implements lock.Lease.
func (r *lease) Release(ctx context.Context) error {
	r.stopRenewal()
	if ctx.Err() != nil { // nothing is sent, so it is known what becomes of the key
		return fmt.Errorf("release %s: %w", r.key, context.Cause(ctx))
	}
	if r.renewal != nil {
		// A renewal under way must not come after the release.
		if err := r.renewal.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
		}
	}
	held, err := r.giveBack(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
	case !held && !r.locker.release.ignoresLoss:
		return fmt.Errorf("release %s: %w: the server had given it up before", r.key, lock.ErrLost)
	case r.flag.Load():
		return fmt.Errorf("release %s: %w: a renewal had failed", r.key, lock.ErrLost)
	}
	return nil
}

// giveBack asks the server to free the key, and reports whether it was the
// lease's.
func (r *lease) giveBack(ctx context.Context) (bool, error) {
	l := r.locker
	if r.over != nil {
		r.over.Store(true)
	}
	held, err := l.agree(env.WithOp(ctx, "release"), r.lanes, l.release.free(l, r))
	if l.release.ignoresAll {
		return true, nil
	}
	return held, err
}
