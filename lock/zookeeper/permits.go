package zookeeper

import "lockquake/lock"

// newPermits makes a semaphore. It implements lock.Semaphore.
func newPermits(d lock.Deps) lock.Strategy {
	l := newLocker(d)
	return lock.PermitRecipe{
		Recipe: lock.Recipe{Refused: lock.Refusals().In(d.Params)},
		Of: func(permits int) lock.Locker {
			permitted := *l
			permitted.permits = permits
			return &permitted
		},
	}
}
