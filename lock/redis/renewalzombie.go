package redis

import (
	"context"
	"sync/atomic"
	"time"
)

// startZombie starts a task that renews the lease that its locker holds of the key.
func startZombie(r *lease, started time.Duration) {
	r.handle = r.locker.handleOf(r.key)
	r.handle.Store(r)
	renewing := r.renewalContext()
	r.locker.env.Go("renewal", func() { r.renewHandle(renewing, started) })
}

// handleOf returns the handle of a key: a pointer to the last lease that the locker got of
// it.
func (l *locker) handleOf(key string) *atomic.Pointer[lease] {
	if l.handles[key] == nil {
		if l.handles == nil {
			l.handles = map[string]*atomic.Pointer[lease]{}
		}
		l.handles[key] = &atomic.Pointer[lease]{}
	}
	return l.handles[key]
}

// renewHandle renews the lease of the handle in every period. If a renewal succeeds after
// the release, the task goes on as if the locker held the lease, and from then on nothing
// stops it.
func (r *lease) renewHandle(renewing context.Context, started time.Duration) {
	e, p := r.locker.env, &r.locker.params
	for e.Sleep(renewing, r.period()) == nil {
		if p.MaxHold > 0 && e.Mono() >= started+p.MaxHold {
			return
		}
		e.Point("renew-called")
		held := r.handle.Load()
		if renewed, err := held.extend(context.WithoutCancel(renewing)); err == nil && renewed && renewing.Err() != nil {
			renewing = context.WithoutCancel(renewing)
		}
	}
}
