package dynamodb

import "lockquake/lock"

// served lists the faults under which every lock serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// leaseClaims are those of a lock without fencing tokens.
func leaseClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Told: served(), Service: served(),
		Also: "no corruption under work that overruns",
	}
}

// fencedClaims are those of a lock with fencing tokens. Its counter is in the item, which the service does
// not lose.
func fencedClaims() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend, lock.ClassServer)
	return lock.Claims{
		Corruption: all, Fencing: all, Told: served(), Service: served(),
		Also: "all this if the item is not deleted by others, and the service keeps its data",
	}
}
