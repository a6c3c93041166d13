package etcd

import "lockquake/lock"

// fencedClaims are those of a lease with fencing tokens. The cluster keeps its data and its revisions
// as long as a majority does, so a new leader, or a member that restarts, costs no token.
func fencedClaims() lock.Claims {
	c := lock.FencedClaims(lock.ClassServer)
	c.Also = "lost server data means that of fewer members than a majority"
	return c
}
