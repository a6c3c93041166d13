package postgres

import (
	"context"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// startHeartbeat starts the task that renews the lease, if the locker has one.
func (r *rowLease) startHeartbeat() {
	l := r.locker
	if !l.renews {
		return
	}
	r.ctx, r.lose = l.env.WithCancel(r.ctx)
	renewing, stop := l.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop = stop
	beat := lock.Heartbeat{Env: l.env, Period: l.params.RenewPeriod(), MaxHold: l.params.MaxHold, Left: r.left, Renew: r.renew, Lose: r.lose}
	r.done = beat.Start(renewing)
}

// renew renews the lease once.
func (r *rowLease) renew(renewing context.Context, left time.Duration) (bool, error) {
	l := r.locker
	sent := l.env.Mono()
	ctx, cancel := l.env.WithTimeout(env.WithOp(renewing, "renew"), left)
	_, renewed, err := l.ask(ctx, l.renew, r.key, r.owner)
	cancel()
	if err == nil && renewed {
		r.end.Store(int64(l.anchor(sent, l.env.Mono()) + l.params.TTL))
	}
	return renewed, err
}
