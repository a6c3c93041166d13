package redis

import (
	"context"
	"fmt"
	"time"
)

// startWatchdog starts a task that renews the lease, and one that tells the holder when
// the lease ends.
func startWatchdog(r *lease, started time.Duration) {
	renewing := r.renewalContext()
	r.startRenewalTask(renewing, started)
	r.locker.env.Go("expiry", func() { r.watchExpiry(renewing) })
}

// startWithoutExpiry is startWatchdog without the task that watches the end of the lease.
func startWithoutExpiry(r *lease, started time.Duration) {
	r.startRenewalTask(r.renewalContext(), started)
}

// startRenewalTask starts a task that renews the lease, and tells the holder of a loss.
func (r *lease) startRenewalTask(renewing context.Context, started time.Duration) {
	e := r.locker.env
	r.ctx, r.lose = e.WithCancel(r.ctx)
	r.renewal = e.Go("renewal", func() { r.renewUntil(renewing, started) })
}

// startDeaf starts a task that renews the lease, and does not tell the holder of a loss.
func startDeaf(r *lease, started time.Duration) {
	renewing := r.renewalContext()
	r.renewal = r.locker.env.Go("renewal", func() { r.renewUntil(renewing, started) })
}

// startRacy starts a task that renews the lease. If the lease is released before the task
// begins, nothing stops the task.
func startRacy(r *lease, started time.Duration) {
	e := r.locker.env
	e.Go("renewal", func() {
		e.Point("renewal-begins")
		r.renewUntil(r.renewalContext(), started)
	})
}

// renewUntil renews the lease in every period, one request at a time, until renewing
// ends, the server refuses, or MaxHold is over. After an error it tries again, after
// Retry.Delay if that is shorter than a period.
func (r *lease) renewUntil(renewing context.Context, started time.Duration) {
	e, p, onFailure := r.locker.env, &r.locker.params, r.locker.renewal.onFailure
	wait := r.period()
	for e.Sleep(renewing, wait) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			r.reportLoss(fmt.Sprintf("it was held for more than %v", p.MaxHold))
			return
		}
		e.Point("renew-called")
		sent := e.Mono()
		renewed, err := r.extend(renewing)
		if (err != nil || !renewed) && onFailure != nil && onFailure(r, renewing, err) {
			return
		}
		switch {
		case err != nil:
			wait = min(r.period(), p.Retry.Delay)
		case !renewed:
			r.reportLoss("the server refused to renew it")
			return
		default:
			wait = max(0, sent+r.period()-e.Mono())
		}
	}
}

// watchExpiry tells the holder when its lease ends. It is a task of its own, so a renewal
// that hangs does not delay it.
func (r *lease) watchExpiry(renewing context.Context) {
	for left := r.left(); left > 0; left = r.left() {
		if r.locker.env.Sleep(renewing, left) != nil {
			return
		}
	}
	r.reportLoss("its lease is over by the holder's clock")
}

// raiseFlag stops the renewal and sets a flag, which the release reads.
func raiseFlag(r *lease, _ context.Context, _ error) bool {
	r.flag.Store(true)
	return true
}

// exitOnError ends the process after an error, unless the lease has been released.
func exitOnError(r *lease, renewing context.Context, err error) bool {
	if err == nil || renewing.Err() != nil {
		return false
	}
	r.locker.env.Exit(fmt.Errorf("renew %s: %w", r.key, err))
	return true
}
