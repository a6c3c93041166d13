package redis

import (
	"time"

	"lockquake/lock"
)

// validity sets the end of a lease that a quorum granted, and reports whether any of
// it is left. The attempt began at sent by the monotonic clock, at wall by the wall
// clock.
type validity func(l *locker, r *lease, sent time.Duration, wall time.Time) bool

func validities() lock.Choice[validity] {
	return lock.Choice[validity]{Name: "validity", Doc: "how a quorum is held against the time that it took to get", Options: []lock.Option[validity]{
		{Way: lock.Sound("monotonic", "by the holder's monotonic clock, from before the first request of the attempt"), Do: validMonotonic},
		{Way: lock.Flaw("wall", "by its wall clock, which may jump"), Do: validWall},
		{Way: lock.Flaw("none", "a quorum is enough, whenever it came"), Do: validAlways},
	}}
}

func validMonotonic(l *locker, r *lease, sent time.Duration, _ time.Time) bool {
	r.end.Store(l.until(sent))
	return r.left() > 0
}

func validWall(l *locker, r *lease, _ time.Duration, wall time.Time) bool {
	r.end.Store(l.until(l.env.Mono() - l.env.Now().Sub(wall)))
	return r.left() > 0
}

func validAlways(l *locker, r *lease, sent time.Duration, _ time.Time) bool {
	r.end.Store(l.until(sent))
	return true
}
