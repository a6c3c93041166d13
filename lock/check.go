package lock

import (
	"context"
	"fmt"
	"time"
)

// Look decides whether a lease is over, before a write. Key names the lock, ctx is
// the context of the lease, and left is how much of it is left by the holder's clock.
type Look func(ctx context.Context, key string, left time.Duration) error

// Looks is the part "check", for every family.
func Looks() Choice[Look] {
	return Choice[Look]{"check", "what the holder does before a write", []Option[Look]{
		{Sound("none", "no look before a write"), lookNot},
		{Sound("clock", "compares the holder's monotonic clock with the end of its lease"), lookAtClock},
	}}
}

func lookNot(context.Context, string, time.Duration) error { return nil }

func lookAtClock(ctx context.Context, key string, left time.Duration) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", key, context.Cause(ctx))
	}
	if left <= 0 {
		return fmt.Errorf("%s: %w: its lease is over by the holder's clock", key, ErrLost)
	}
	return nil
}
