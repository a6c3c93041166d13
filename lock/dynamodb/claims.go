package dynamodb

import (
	"slices"

	"lockquake/lock"
)

// fencedClaims are those of a lock with fencing tokens. Its counter is in the item, which the service does
// not lose.
func fencedClaims() lock.Claims {
	c := lock.FencedClaims(lock.ClassServer)
	c.Also = "all claims hold only if the item is not deleted by others, and the service keeps its data"
	return c
}

// unfencedClaims are those of a lock whose item has no counter. A request that arrives late, after its worker has
// got the lock with another one and has released it, finds no item and takes the lock for a lease.
func unfencedClaims() lock.Claims {
	c := lock.LeaseClaims()
	c.Service = slices.DeleteFunc(c.Service, func(class lock.Class) bool { return class == lock.ClassDelay })
	c.Also += "; a request that arrives after the release may take the lock for the length of a lease"
	return c
}
