package lock

import (
	"context"
	"fmt"
	"time"
)

// LeaseCheck returns an error if a lease is over. The holder calls it before a write.
// Key names the lock, ctx is the context of the lease, and left is the rest of the
// lease by the holder's clock.
type LeaseCheck func(ctx context.Context, key string, left time.Duration) error

// LeaseChecks returns the part "check", for every family.
func LeaseChecks() Choice[LeaseCheck] {
	return Choice[LeaseCheck]{"check", "what the holder checks before a write", []Option[LeaseCheck]{
		{Sound("none", "nothing"), checkNothing},
		{Sound("clock", "whether its lease is over, by its monotonic clock"), checkClock},
	}}
}

func checkNothing(context.Context, string, time.Duration) error { return nil }

func checkClock(ctx context.Context, key string, left time.Duration) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", key, context.Cause(ctx))
	}
	if left <= 0 {
		return fmt.Errorf("%s: %w: its lease is over by the holder's clock", key, ErrLost)
	}
	return nil
}
