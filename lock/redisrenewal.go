package lock

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock/env"
)

// begin starts what keeps the lease alive.
func (r *redisLease) begin() {
	e := r.locker.env
	started := e.Mono()
	switch r.locker.params.Renewal {
	case RenewalWatchdog:
		r.watch(started)
	case RenewalDeaf, RenewalLateFlag, RenewalRecreate:
		watching := r.watching()
		r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started) })
	case RenewalOverlap:
		watching := r.watching()
		e.Go("renewal", func() { r.renewOverlapping(watching) })
	case RenewalSameThread:
		r.renewed = started
	case RenewalNone:
	}
}

// watching returns a context that ends when the lease is given back.
func (r *redisLease) watching() context.Context {
	watching, stop := r.locker.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop = stop
	return watching
}

// watch starts to renew the lease, and to tell the holder when it is over.
// Two tasks do it, so that a renewal that hangs does not keep the news away.
func (r *redisLease) watch(started time.Duration) {
	e := r.locker.env
	watching := r.watching()
	r.ctx, r.lose = e.WithCancel(r.ctx)
	r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started) })
	e.Go("expiry", func() {
		for left := r.left(); left > 0; left = r.left() {
			if e.Sleep(watching, left) != nil {
				return
			}
		}
		r.lost("its lease is over by the holder's clock")
	})
}

// lost tells the holder, if its lease is one that does, and stops renewing.
func (r *redisLease) lost(why string) {
	if r.lose != nil {
		r.lose(fmt.Errorf("%w: %s", ErrLost, why))
	}
	r.stop(nil)
}

// period is the time from one renewal to the next.
func (r *redisLease) period() time.Duration {
	if p := r.locker.params; p.Renew != 0 {
		return p.Renew
	}
	return r.locker.params.TTL / 3
}

// renewUntil renews the lease period by period, one request at a time, until
// watching ends, the server refuses, or the holder has had the lock long
// enough. After an error it tries again; the lease's own end bounds that.
func (r *redisLease) renewUntil(watching context.Context, started time.Duration) {
	e, p := r.locker.env, r.locker.params
	wait := r.period()
	for e.Sleep(watching, wait) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			r.lost(fmt.Sprintf("it was held for more than %v", p.MaxHold))
			return
		}
		e.Point("renew-called")
		sent := e.Mono()
		renewed, err := r.renewOnce(watching)
		if (err != nil || !renewed) && p.Renewal == RenewalLateFlag {
			r.flag.Store(true)
			return
		}
		switch {
		case err != nil:
			wait = min(r.period(), p.Retry.Delay)
		case !renewed:
			r.lost("the server refused to renew it")
			return
		default:
			r.end.Store(int64(sent + p.TTL))
			wait = max(0, sent+r.period()-e.Mono())
		}
	}
}

// renewOverlapping starts a renewal every period, whatever has become of the
// one before.
func (r *redisLease) renewOverlapping(watching context.Context) {
	e := r.locker.env
	for e.Sleep(watching, r.period()) == nil {
		e.Go("renewal", func() {
			e.Point("renew-called")
			sent := e.Mono()
			if renewed, err := r.renewOnce(context.WithoutCancel(watching)); err == nil && renewed {
				r.end.Store(int64(sent + r.locker.params.TTL))
			}
		})
	}
}

// renewIfDue renews the lease if a period has passed. The worker's own thread
// comes by here between two steps of its work.
func (r *redisLease) renewIfDue() {
	e := r.locker.env
	if e.Mono() < r.renewed+r.period() {
		return
	}
	e.Point("renew-called")
	r.renewed = e.Mono()
	_, _ = r.renewOnce(r.ctx) // it is the flaw that nobody looks
}

// renewOnce sends one renewal, which the end of the lease bounds.
func (r *redisLease) renewOnce(watching context.Context) (bool, error) {
	l := r.locker
	ctx, cancel := l.env.WithTimeout(env.WithOp(watching, "renew"), r.left())
	defer cancel()
	script := l.scripts.renew
	if l.params.Renewal == RenewalRecreate {
		script = l.scripts.recreate
		ctx = env.WithOp(watching, "renew") // a lease that it sets again has no end
	}
	n, err := script.Run(ctx, l.client, []string{r.key}, r.owner, l.params.TTL.Milliseconds()).Int64()
	return n == 1, err
}
