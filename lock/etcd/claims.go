package etcd

import "lockquake/lock"

// served lists the faults under which every lock serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// leaseClaims are those of a lease that its holder renews.
func leaseClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Told: served(), Service: served(),
		Also: "no corruption under work that overruns",
	}
}

// fencedClaims are those of a lease with fencing tokens. The cluster keeps its data and its revisions
// as long as a majority does, so a new leader, or a member that restarts, costs no token.
func fencedClaims() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend, lock.ClassServer)
	return lock.Claims{
		Corruption: all, Fencing: all, Told: served(), Service: served(),
		Also: "lost server data means that of fewer members than a majority",
	}
}
