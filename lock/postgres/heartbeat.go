package postgres

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// startHeartbeat starts the task that renews the lease, if the locker has one, after each third of
// the TTL. It retries an error until the lease is over.
func (r *rowLease) startHeartbeat() {
	l := r.locker
	if !l.renews {
		return
	}
	began := l.env.Mono()
	r.ctx, r.lose = l.env.WithCancel(r.ctx)
	renewing, stop := l.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop = stop
	period := l.params.Renew
	if period == 0 {
		period = l.params.TTL / 3
	}
	r.done = l.env.Go("renewal", func() {
		for r.beat(renewing, began, period) {
		}
	})
}

// beat waits for the next renewal and sends it. It reports whether another one follows.
func (r *rowLease) beat(renewing context.Context, began, period time.Duration) bool {
	l := r.locker
	wait := min(period, r.left())
	if l.env.Sleep(renewing, wait) != nil {
		return false // released
	}
	left := r.left()
	switch {
	case left <= 0:
		r.lose(fmt.Errorf("%w: it was not renewed in time", lock.ErrLost))
		return false
	case l.params.MaxHold > 0 && l.env.Mono()-began >= l.params.MaxHold:
		return r.expire(renewing)
	}
	sent := l.env.Mono()
	ctx, cancel := l.env.WithTimeout(env.WithOp(renewing, "renew"), left)
	_, renewed, err := l.ask(ctx, l.renew, r.key, r.owner)
	cancel()
	switch {
	case err != nil:
		return true
	case !renewed:
		r.lose(fmt.Errorf("%w: the renewal was refused", lock.ErrLost))
		return false
	}
	r.end.Store(int64(l.anchor(sent, l.env.Mono()) + l.params.TTL))
	return true
}

// expire tells the holder of the loss when a lease that is not renewed any more is over.
func (r *rowLease) expire(renewing context.Context) bool {
	if r.locker.env.Sleep(renewing, r.left()) == nil {
		r.lose(fmt.Errorf("%w: it was held for too long", lock.ErrLost))
	}
	return false
}
