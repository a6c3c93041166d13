package redis

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// begin starts what keeps the lease alive.
func (r *lease) begin() {
	e := r.locker.env
	started := e.Mono()
	switch r.locker.params.Renewal {
	case lock.RenewalNone, lock.RenewalOverlap, lock.RenewalZombie:
	default:
		for range r.locker.nodes {
			r.lanes = append(r.lanes, e.NewSem(1))
		}
	}
	switch r.locker.params.Renewal {
	case lock.RenewalWatchdog, lock.RenewalCrash, lock.RenewalLate:
		watching := r.watching()
		r.ctx, r.lose = e.WithCancel(r.ctx)
		r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started) })
		if r.locker.params.Renewal != lock.RenewalLate {
			e.Go("expiry", func() { r.expire(watching) })
		}
	case lock.RenewalRacy:
		// The renewal can be stopped only from when this task has begun.
		e.Go("renewal", func() {
			e.Point("renewal-begins")
			r.renewUntil(r.watching(), started)
		})
	case lock.RenewalZombie:
		r.handle = r.locker.handleOf(r.key)
		r.handle.Store(r)
		watching := r.watching()
		e.Go("renewal", func() { r.renewHandle(watching, started) })
	case lock.RenewalDeaf, lock.RenewalLateFlag, lock.RenewalRecreate:
		watching := r.watching()
		r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started) })
	case lock.RenewalOverlap:
		watching := r.watching()
		e.Go("renewal", func() { r.renewOverlapping(watching) })
	case lock.RenewalSameThread:
		r.renewed = started
	case lock.RenewalNone:
	}
}

// watching returns a context that ends when the lease is given back.
func (r *lease) watching() context.Context {
	watching, stop := r.locker.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop.Store(&stop)
	return watching
}

// stopRenewal stops what keeps the lease alive, as far as it has begun.
func (r *lease) stopRenewal() {
	if stop := r.stop.Load(); stop != nil {
		(*stop)(nil)
	}
}

// expire tells the holder when its lease is over. It is a task beside that of the
// renewal, so that a request that hangs does not keep the news away.
func (r *lease) expire(watching context.Context) {
	for left := r.left(); left > 0; left = r.left() {
		if r.locker.env.Sleep(watching, left) != nil {
			return
		}
	}
	r.lost("its lease is over by the holder's clock")
}

// lost tells the holder, if its lease is one that does, and stops renewing.
func (r *lease) lost(why string) {
	if r.lose != nil {
		r.lose(fmt.Errorf("%w: %s", lock.ErrLost, why))
	}
	r.stopRenewal()
}

// period is the time from one renewal to the next.
func (r *lease) period() time.Duration {
	const shortest = time.Millisecond // half of a validity that is nearly over
	p := r.locker.params
	switch {
	case p.Renew != 0:
		return p.Renew
	case p.RenewShare != 0:
		return time.Duration(float64(p.TTL) * p.RenewShare)
	case r.locker.nodes != nil:
		return max(r.left()/2, shortest)
	}
	return p.TTL / 3
}

// until returns when a lease that was asked for at sent is over by the
// holder's monotonic clock.
func (l *locker) until(sent time.Duration) int64 {
	return int64(sent + l.params.TTL - l.drift())
}

// renewUntil renews the lease period by period, one request at a time, until
// watching ends, the server refuses, or the holder has had the lock long
// enough. After an error it tries again; the lease's own end bounds that.
func (r *lease) renewUntil(watching context.Context, started time.Duration) {
	e, p := r.locker.env, r.locker.params
	wait := r.period()
	for e.Sleep(watching, wait) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			r.lost(fmt.Sprintf("it was held for more than %v", p.MaxHold))
			return
		}
		e.Point("renew-called")
		sent := e.Mono()
		renewed, err := r.extend(watching)
		if (err != nil || !renewed) && p.Renewal == lock.RenewalLateFlag {
			r.flag.Store(true)
			return
		}
		switch {
		case err != nil && p.Renewal == lock.RenewalCrash && watching.Err() == nil:
			e.Exit(fmt.Errorf("renew %s: %w", r.key, err))
			return
		case err != nil:
			wait = min(r.period(), p.Retry.Delay)
		case !renewed:
			r.lost("the server refused to renew it")
			return
		default:
			wait = max(0, sent+r.period()-e.Mono())
		}
	}
}

// renewOverlapping starts a renewal every period, whatever has become of the
// one before.
func (r *lease) renewOverlapping(watching context.Context) {
	e := r.locker.env
	for e.Sleep(watching, r.period()) == nil {
		e.Go("renewal", func() {
			e.Point("renew-called")
			_, _ = r.extend(context.WithoutCancel(watching)) // the next one does not ask what became of it
		})
	}
}

// renewIfDue renews the lease if a period has passed. The worker's own thread
// comes by here between two steps of its work.
func (r *lease) renewIfDue() {
	e := r.locker.env
	if e.Mono() < r.renewed+r.period() {
		return
	}
	e.Point("renew-called")
	r.renewed = e.Mono()
	_, _ = r.renewOnce(r.ctx) // it is the flaw that nobody looks
}

// renewHandle renews whatever lease of the key its locker holds, period by
// period. A renewal that comes through after the lease was given back takes the
// locker to hold it still, and from then on nobody stops the renewing.
func (r *lease) renewHandle(watching context.Context, started time.Duration) {
	e, p := r.locker.env, r.locker.params
	for e.Sleep(watching, r.period()) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			return
		}
		e.Point("renew-called")
		held := r.handle.Load()
		if renewed, err := held.extend(context.WithoutCancel(watching)); err == nil && renewed && watching.Err() != nil {
			watching = context.WithoutCancel(watching)
		}
	}
}

// extend renews the lease once, and counts its end anew if that was granted.
func (r *lease) extend(watching context.Context) (bool, error) {
	sent := r.locker.env.Mono()
	renewed, err := r.renewOnce(watching)
	if err == nil && renewed {
		r.end.Store(r.locker.until(sent))
	}
	return renewed, err
}

// renewOnce sends one renewal, which the end of the lease bounds.
func (r *lease) renewOnce(watching context.Context) (bool, error) {
	l := r.locker
	ctx, cancel := l.env.WithTimeout(env.WithOp(watching, "renew"), r.left())
	defer cancel()
	script := l.scripts.renew
	switch l.params.Renewal {
	case lock.RenewalRecreate:
		script = l.scripts.recreate
		ctx = env.WithOp(watching, "renew") // a lease that it sets again has no end
	case lock.RenewalLate, lock.RenewalZombie:
		ctx = env.WithOp(watching, "renew") // these do not look whether the lease is over
	default:
	}
	return l.agree(ctx, r.lanes, func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return script.Run(ctx, client, []string{r.key}, r.owner, l.params.TTL.Milliseconds()).Int64()
	})
}
