package zookeeper

import "lockquake/lock"

// fencedClaims are those of a lock with a fencing token. A member that lags does no harm, since a
// contender has seen its own znode.
func fencedClaims() lock.Claims {
	c := lock.FencedClaims(lock.ClassServer, lock.ClassStale)
	c.Also = "no corruption after a crash of servers that keep their data"
	return c
}
