package lock

import "errors"

// What a caller can be told. Every error of a Locker, Lease, Strategy or
// Resource is or wraps one of these, or is the cause of the caller's context.
var (
	// ErrNotObtained: somebody else held the lock until the caller gave up.
	ErrNotObtained = errors.New("lock not obtained")
	// ErrLost: the caller held the lock and does no longer.
	ErrLost = errors.New("lock lost")
	// ErrUnknown: a request may or may not have taken effect.
	ErrUnknown = errors.New("outcome unknown")
	// ErrRefused: the resource declined the fence token.
	ErrRefused = errors.New("refused by the resource: stale token")
)

// join is errors.Join that keeps a single error as it is.
func join(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return errors.Join(a, b)
	}
}
