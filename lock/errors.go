package lock

import "errors"

// Every error of a Locker, Lease, Strategy or Resource is or wraps one of these, or is
// the cause of the caller's context.
var (
	// ErrNotObtained: other owners held the lock until the caller gave up.
	ErrNotObtained = errors.New("lock not obtained")
	// ErrLost: the caller held the lock, or had a session to wait for it, and does not have it any more.
	ErrLost = errors.New("lock lost")
	// ErrUnknown: a request may or may not have taken effect.
	ErrUnknown = errors.New("outcome unknown")
	// ErrConflict: the condition of a write did not hold, since another write came first.
	// The section of such an answer had no effect.
	ErrConflict = errors.New("conflict with another write")
	// ErrRefused: the resource refused the fencing token.
	ErrRefused = errors.New("refused by the resource: stale token")
)

// Join is like errors.Join, but returns a single error as it is.
func Join(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return errors.Join(a, b)
	}
}
