package dynamodb

import "lockquake/lock"

// fencedClaims are those of a lock with fencing tokens. Its counter is in the item, which the service does
// not lose.
func fencedClaims() lock.Claims {
	c := lock.FencedClaims(lock.ClassServer)
	c.Also = "all claims hold only if the item is not deleted by others, and the service keeps its data"
	return c
}
