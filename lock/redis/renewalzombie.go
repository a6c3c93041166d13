package redis

import (
	"context"
	"sync/atomic"
	"time"
)

// startZombie starts a task that renews whatever lease of the key its locker holds.
func startZombie(r *lease, started time.Duration) {
	r.handle = r.locker.handleOf(r.key)
	r.handle.Store(r)
	watching := r.watching()
	r.locker.env.Go("renewal", func() { r.renewHandle(watching, started) })
}

// handleOf returns where the locker keeps the lease that it holds of the key.
func (l *locker) handleOf(key string) *atomic.Pointer[lease] {
	if l.handles[key] == nil {
		if l.handles == nil {
			l.handles = map[string]*atomic.Pointer[lease]{}
		}
		l.handles[key] = &atomic.Pointer[lease]{}
	}
	return l.handles[key]
}

// renewHandle renews whatever lease of the key its locker holds, period by
// period. A renewal that comes through after the lease was given back takes the
// locker to hold it still, and from then on nothing stops the renewing.
func (r *lease) renewHandle(watching context.Context, started time.Duration) {
	e, p := r.locker.env, &r.locker.params
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
