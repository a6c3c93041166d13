package redis

import (
	"context"
	"time"
)

// startOverlapping starts a renewal every period, whatever has become of the one
// before.
func startOverlapping(r *lease, _ time.Duration) {
	watching := r.watching()
	r.locker.env.Go("renewal", func() { r.renewOverlapping(watching) })
}

func (r *lease) renewOverlapping(watching context.Context) {
	e := r.locker.env
	for e.Sleep(watching, r.period()) == nil {
		e.Go("renewal", func() {
			e.Point("renew-called")
			_, _ = r.extend(context.WithoutCancel(watching)) // the next one does not ask what became of it
		})
	}
}
