package kubernetes

import (
	"context"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// campaignAgain starts a campaign in each renew deadline until one of them wins. The others go on, also after the
// section has ended.
func (l *locker) campaignAgain(ctx context.Context, key string) (lock.Lease, error) {
	h := &handle{elected: l.env.NewSem(0)}
	for {
		l.env.Go("campaign", func() { h.campaign(context.WithoutCancel(ctx), l, key) })
		waiting, cancel := l.env.WithTimeout(ctx, renewDeadline(l.params))
		err := h.elected.Acquire(waiting)
		cancel()
		switch {
		case err == nil:
			return h, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("acquire %s: %w", key, context.Cause(ctx))
		}
	}
}

// handle holds the lease of the campaign that won last.
type handle struct {
	lock.Lease
	elected env.Sem
}

func (h *handle) campaign(ctx context.Context, l *locker, key string) {
	lease, err := l.campaignOnce(ctx, key)
	if err != nil {
		return
	}
	h.Lease = lease // the flaw: it may hold a lease already
	h.elected.Release()
}
