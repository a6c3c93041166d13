package redis

import (
	"context"
	"time"
)

// startOverlapping starts a renewal in every period, without waiting for the one before.
func startOverlapping(r *lease, _ time.Duration) {
	renewing := r.renewalContext()
	r.locker.env.Go("renewal", func() { r.renewOverlapping(renewing) })
}

func (r *lease) renewOverlapping(renewing context.Context) {
	e := r.locker.env
	for e.Sleep(renewing, r.period()) == nil {
		e.Go("renewal", func() {
			e.Point("renew-called")
			_, _ = r.extend(context.WithoutCancel(renewing)) // the flaw: the answer is dropped
		})
	}
}
