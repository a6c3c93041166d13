package redis

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// redisLease is one grant of a redisLocker.
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
	flag    atomic.Bool                             // RenewalLateFlag: a renewal failed
	renewed time.Duration

	// Of several servers: a lane for each, so that a release comes after the
	// renewals that are under way there.
	lanes  []env.Sem
	over   *atomic.Bool           // of several servers: the attempt is given up or given back
	handle *atomic.Pointer[lease] // RenewalZombie: the lease that the locker holds
}

func (r *lease) Context() context.Context { return r.ctx }
func (r *lease) Token() int64             { return r.token }
func (r *lease) fenceKey() string         { return r.key + ":fence" }

// Check implements Lease.
func (r *lease) Check() error {
	if r.locker.params.Renewal == lock.RenewalSameThread {
		r.renewIfDue()
	}
	if r.locker.params.Check != lock.CheckClock {
		return nil
	}
	if r.ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.key, context.Cause(r.ctx))
	}
	if r.left() <= 0 {
		return fmt.Errorf("%s: %w: its lease is over by the holder's clock", r.key, lock.ErrLost)
	}
	return nil
}

// left is how long the holder may still believe.
func (r *lease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// Release implements Lease.
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
	case !held && r.locker.params.Release != lock.ReleaseIgnored:
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
	do := l.deletion(r, r.owner)
	switch l.params.Release {
	case lock.ReleasePlain:
		do = func(ctx context.Context, client goredis.Cmdable) (int64, error) {
			return client.Del(ctx, r.key).Result()
		}
	case lock.ReleaseNever: // the script gets no key, so it always fails
		do = func(ctx context.Context, client goredis.Cmdable) (int64, error) {
			return l.scripts.release.Run(ctx, client, nil, r.key, r.owner).Int64()
		}
	case lock.ReleaseCompare, lock.ReleaseIgnored, lock.ReleaseSkipped, lock.ReleaseMasks, lock.ReleaseCallersContext:
	}
	held, err := l.agree(env.WithOp(ctx, "release"), r.lanes, do)
	if l.params.Release == lock.ReleaseNever {
		return true, nil // and nobody looks
	}
	return held, err
}
