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
	owner  string
	token  int64
	// end is when the holder may believe no longer, on its monotonic clock:
	// counted from the sending of the last request that was granted.
	end atomic.Int64

	// Only of a lease that is renewed.
	lose    context.CancelCauseFunc
	stop    context.CancelCauseFunc
	renewal env.Sem // released when the renewing task has ended
}

func (r *redisLease) Context() context.Context { return r.ctx }
func (r *redisLease) Token() int64             { return r.token }

// Check implements Lease.
func (r *redisLease) Check() error {
	if !r.locker.parts.checked {
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
		// A renewal under way must not come after the release.
		r.stop(nil)
		if err := r.renewal.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, ErrUnknown, err)
		}
	}
	held, err := r.locker.compareAndDelete(ctx, r)
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", r.key, ErrUnknown, err)
	case !held:
		return fmt.Errorf("release %s: %w: the server had given it up before", r.key, ErrLost)
	}
	return nil
}

// watch starts to renew the lease, and to tell the holder when it is over.
// Two tasks do it, so that a renewal that hangs does not keep the news away.
func (r *redisLease) watch() {
	e := r.locker.env
	started := e.Mono()
	var watching context.Context
	watching, r.stop = e.WithCancel(context.WithoutCancel(r.ctx))
	r.ctx, r.lose = e.WithCancel(r.ctx)
	r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started+r.locker.params.MaxHold) })
	e.Go("expiry", func() {
		for left := r.left(); left > 0; left = r.left() {
			if e.Sleep(watching, left) != nil {
				return
			}
		}
		r.lost("its lease is over by the holder's clock")
	})
}

// lost tells the holder, and stops renewing.
func (r *redisLease) lost(why string) {
	r.lose(fmt.Errorf("%w: %s", ErrLost, why))
	r.stop(nil)
}

// renewUntil renews the lease period by period, one request at a time, until
// watching ends, the server refuses, or the holder has had the lock long
// enough. After an error it tries again; the lease's own end bounds that.
func (r *redisLease) renewUntil(watching context.Context, last time.Duration) {
	e, p := r.locker.env, r.locker.params
	period := p.Renew
	if period == 0 {
		period = p.TTL / 3
	}
	wait := period
	for e.Sleep(watching, wait) == nil {
		if p.MaxHold > 0 && e.Mono() >= last {
			r.lost(fmt.Sprintf("it was held for more than %v", p.MaxHold))
			return
		}
		e.Point("renew-called")
		sent := e.Mono()
		renewed, err := r.renewOnce(watching)
		switch {
		case err != nil:
			wait = min(period, p.Retry.Delay)
		case !renewed:
			r.lost("the server refused to renew it")
			return
		default:
			r.end.Store(int64(sent + p.TTL))
			wait = max(0, sent+period-e.Mono())
		}
	}
}

// renewOnce sends one renewal, which the end of the lease bounds.
func (r *redisLease) renewOnce(watching context.Context) (bool, error) {
	l := r.locker
	ctx, cancel := l.env.WithTimeout(env.WithOp(watching, "renew"), r.left())
	defer cancel()
	n, err := l.renew.Run(ctx, l.client, []string{r.key}, r.owner, l.params.TTL.Milliseconds()).Int64()
	return n == 1, err
}
