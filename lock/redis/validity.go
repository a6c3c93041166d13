package redis

import (
	"time"

	"lockquake/lock"
)

// validity sets the end of a lease that a quorum granted, and reports whether the lease is
// still valid. The attempt began at sent by the monotonic clock, and at wall by the wall
// clock.
type validity func(l *locker, r *lease, sent time.Duration, wall time.Time) bool

func validities() lock.Choice[validity] {
	return lock.Choice[validity]{Name: "validity", Doc: "how the holder measures the time that a quorum took, which shortens its lease", Options: []lock.Option[validity]{
		{Way: lock.Sound("monotonic", "by its monotonic clock, from before the first request of the attempt"), Value: validMonotonic},
		{Way: lock.Flaw("wall", "by its wall clock, which may jump"), Value: validWall},
		{Way: lock.Flaw("none", "it does not measure it: a quorum is enough, however long it took"), Value: validAlways},
	}}
}

// leaseEnd returns the end of a lease on the holder's monotonic clock. The request for
// the lease was sent at sent.
func (l *locker) leaseEnd(sent time.Duration) int64 {
	return int64(sent + l.params.TTL - l.drift())
}

// drift returns the allowance for clock drift, which shortens a lease of several servers.
func (l *locker) drift() time.Duration {
	if l.nodes == nil {
		return 0
	}
	return l.params.DriftAllowance()
}

func validMonotonic(l *locker, r *lease, sent time.Duration, _ time.Time) bool {
	r.end.Store(l.leaseEnd(sent))
	return r.left() > 0
}

func validWall(l *locker, r *lease, _ time.Duration, wall time.Time) bool {
	r.end.Store(l.leaseEnd(l.env.Mono() - l.env.Now().Sub(wall)))
	return r.left() > 0
}

func validAlways(l *locker, r *lease, sent time.Duration, _ time.Time) bool {
	r.end.Store(l.leaseEnd(sent))
	return true
}
