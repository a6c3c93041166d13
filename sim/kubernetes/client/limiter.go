package client

import (
	"context"
	"time"

	"lockquake/lock/env"
)

// limiter limits the requests of a client, as the bucket of tokens in package flowcontrol of client-go does: burst
// requests at once, and qps of them per second after that. Waiters are served in order.
type limiter struct {
	env        env.Env
	qps, burst int
	// empty is the time at which all requests so far would have been sent at qps per second, by the monotonic clock.
	empty time.Duration
}

// wait waits until the limit allows another request, or returns the cause of ctx.
func (l *limiter) wait(ctx context.Context) error {
	if l.qps == 0 {
		return nil
	}
	now, interval := l.env.Mono(), time.Second/time.Duration(l.qps)
	l.empty = max(l.empty, now)
	pause := l.empty - time.Duration(l.burst-1)*interval - now
	l.empty += interval
	if pause <= 0 {
		return nil
	}
	if err := l.env.Sleep(ctx, pause); err != nil {
		l.empty -= interval
		return err
	}
	return nil
}
