package kubernetes

import "lockquake/lock"

// leaseClaims are those of a leader that does not check its clock before it acts.
func leaseClaims() lock.Claims {
	return lock.Claims{Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Service: lock.Served()}
}

// fencedClaims are those of a leader with fencing tokens. Its counter is in the Lease, which the API server does not
// lose.
func fencedClaims() lock.Claims {
	c := lock.FencedClaims()
	c.Told = nil
	c.Also = "all claims hold only if the Lease is not deleted by others, and the API server keeps its data"
	return c
}
