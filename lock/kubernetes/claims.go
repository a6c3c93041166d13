package kubernetes

import "lockquake/lock"

// served lists the faults under which an election serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// leaseClaims are those of a leader that does not check its clock before it acts.
func leaseClaims() lock.Claims {
	return lock.Claims{Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Service: served()}
}

// fencedClaims are those of a leader with fencing tokens. Its counter is in the Lease, which the API server does not
// lose.
func fencedClaims() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend)
	return lock.Claims{
		Corruption: all, Fencing: all, Service: served(),
		Also: "all this if the Lease is not deleted by others, and the API server keeps its data",
	}
}
