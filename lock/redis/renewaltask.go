package redis

import (
	"context"
	"fmt"
	"time"
)

// startWatchdog starts a task that renews, and one that tells the holder when its
// lease is over.
func startWatchdog(r *lease, started time.Duration) {
	watching := r.watching()
	r.startTelling(watching, started)
	r.locker.env.Go("expiry", func() { r.expire(watching) })
}

// startUnwatched is startWatchdog without a task that watches the end of the lease.
func startUnwatched(r *lease, started time.Duration) { r.startTelling(r.watching(), started) }

// startTelling starts a task that renews and tells the holder of a loss.
func (r *lease) startTelling(watching context.Context, started time.Duration) {
	e := r.locker.env
	r.ctx, r.lose = e.WithCancel(r.ctx)
	r.renewal = e.Go("renewal", func() { r.renewUntil(watching, started) })
}

// startDeaf starts a task that renews and tells the holder nothing.
func startDeaf(r *lease, started time.Duration) {
	watching := r.watching()
	r.renewal = r.locker.env.Go("renewal", func() { r.renewUntil(watching, started) })
}

// startRacy starts a task that can be stopped only from when it has begun.
func startRacy(r *lease, started time.Duration) {
	e := r.locker.env
	e.Go("renewal", func() {
		e.Point("renewal-begins")
		r.renewUntil(r.watching(), started)
	})
}

// renewUntil renews the lease period by period, one request at a time, until
// watching ends, the server refuses, or the holder has had the lock long
// enough. After an error it tries again; the lease's own end bounds that.
func (r *lease) renewUntil(watching context.Context, started time.Duration) {
	e, p, fails := r.locker.env, &r.locker.params, r.locker.renewal.fails
	wait := r.period()
	for e.Sleep(watching, wait) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			r.lost(fmt.Sprintf("it was held for more than %v", p.MaxHold))
			return
		}
		e.Point("renew-called")
		sent := e.Mono()
		renewed, err := r.extend(watching)
		if (err != nil || !renewed) && fails != nil && fails(r, watching, err) {
			return
		}
		switch {
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

// expire tells the holder when its lease is over. It is a task beside that of the
// renewal, so that a request that hangs does not delay the news.
func (r *lease) expire(watching context.Context) {
	for left := r.left(); left > 0; left = r.left() {
		if r.locker.env.Sleep(watching, left) != nil {
			return
		}
	}
	r.lost("its lease is over by the holder's clock")
}

// raiseFlag notes a failure for when the work has ended.
func raiseFlag(r *lease, _ context.Context, _ error) bool {
	r.flag.Store(true)
	return true
}

// exitOnError ends the process after an error, unless the lease was given back
// meanwhile.
func exitOnError(r *lease, watching context.Context, err error) bool {
	if err == nil || watching.Err() != nil {
		return false
	}
	r.locker.env.Exit(fmt.Errorf("renew %s: %w", r.key, err))
	return true
}
