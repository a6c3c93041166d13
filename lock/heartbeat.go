package lock

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock/env"
)

// Heartbeat renews a lease until it is released or lost. It retries an error until the lease is over.
type Heartbeat struct {
	Env    env.Env
	Period time.Duration
	// MaxHold is the time after which the lease is no longer renewed; 0: it is always renewed.
	MaxHold time.Duration
	// Left returns the rest of the lease by the holder's clock.
	Left func() time.Duration
	// Renew sends one renewal, and reports whether the lease still had the lock. Left is the rest
	// of the lease: a later answer is too late.
	Renew func(ctx context.Context, left time.Duration) (bool, error)
	// Lose tells the holder of the loss.
	Lose context.CancelCauseFunc
}

// Start starts the task "renewal". It renews the lease until ctx ends, which is at the release, or the
// lease is lost. The semaphore is released when the task has ended.
func (h *Heartbeat) Start(ctx context.Context) env.Sem {
	began := h.Env.Mono()
	return h.Env.Go("renewal", func() {
		for h.beat(ctx, began) {
		}
	})
}

// beat waits for the next renewal and sends it. It reports whether another one follows.
func (h *Heartbeat) beat(ctx context.Context, began time.Duration) bool {
	if h.Env.Sleep(ctx, min(h.Period, h.Left())) != nil {
		return false // released
	}
	left := h.Left()
	switch {
	case left <= 0:
		h.Lose(fmt.Errorf("%w: it was not renewed in time", ErrLost))
		return false
	case h.MaxHold > 0 && h.Env.Mono()-began >= h.MaxHold:
		if h.Env.Sleep(ctx, left) == nil {
			h.Lose(fmt.Errorf("%w: it was held for too long", ErrLost))
		}
		return false
	}
	renewed, err := h.Renew(ctx, left)
	if err == nil && !renewed {
		h.Lose(fmt.Errorf("%w: the renewal was refused", ErrLost))
		return false
	}
	return true
}

// RenewPeriod returns the time from one renewal to the next: what the parameters say, or a third of the
// TTL.
func (p Params) RenewPeriod() time.Duration {
	switch {
	case p.Renew != 0:
		return p.Renew
	case p.RenewShare != 0:
		return time.Duration(float64(p.TTL) * p.RenewShare)
	}
	return p.TTL / 3
}
