package lock

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"lockquake/lock/env"
)

// redisLease is one grant of a redisLocker.
type redisLease struct {
	locker *redisLocker
	ctx    context.Context
	key    string
	keys   []string // of the script that takes a fenced lock
	owner  string
	token  int64
	// end is when the holder may believe no longer, on its monotonic clock:
	// counted from the sending of the last request that was granted.
	end atomic.Int64

	// Only of a lease that is renewed by a task.
	lose    context.CancelCauseFunc
	stop    context.CancelCauseFunc
	renewal env.Sem     // released when the renewing task has ended
	flag    atomic.Bool // RenewalLateFlag: a renewal failed
	renewed time.Duration
}

func (r *redisLease) Context() context.Context { return r.ctx }
func (r *redisLease) Token() int64             { return r.token }
func (r *redisLease) fenceKey() string         { return r.key + ":fence" }

// Check implements Lease.
func (r *redisLease) Check() error {
	if r.locker.params.Renewal == RenewalSameThread {
		r.renewIfDue()
	}
	if r.locker.params.Check != CheckClock {
		return nil
	}
	if r.ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.key, context.Cause(r.ctx))
	}
	if r.left() <= 0 {
		return fmt.Errorf("%s: %w: its lease is over by the holder's clock", r.key, ErrLost)
	}
	return nil
}

// left is how long the holder may still believe.
func (r *redisLease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// Release implements Lease.
func (r *redisLease) Release(ctx context.Context) error {
	if r.stop != nil {
		r.stop(nil)
	}
	if r.renewal != nil {
		// A renewal under way must not come after the release.
		if err := r.renewal.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, ErrUnknown, err)
		}
	}
	held, err := r.giveBack(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", r.key, ErrUnknown, err)
	case !held && r.locker.params.Release != ReleaseIgnored:
		return fmt.Errorf("release %s: %w: the server had given it up before", r.key, ErrLost)
	case r.flag.Load():
		return fmt.Errorf("release %s: %w: a renewal had failed", r.key, ErrLost)
	}
	return nil
}

// giveBack asks the server to free the key, and reports whether it was the
// lease's.
func (r *redisLease) giveBack(ctx context.Context) (bool, error) {
	l := r.locker
	switch l.params.Release {
	case ReleasePlain:
		n, err := l.client.Del(env.WithOp(ctx, "release"), r.key).Result()
		return n == 1, err
	case ReleaseNever:
		// The script gets no key, so it always fails; and nobody looks.
		_ = l.scripts.release.Run(env.WithOp(ctx, "release"), l.client, nil, r.key, r.owner).Err()
		return true, nil
	case ReleaseCompare, ReleaseIgnored, ReleaseSkipped, ReleaseMasks:
	}
	return l.compareAndDelete(ctx, r)
}
