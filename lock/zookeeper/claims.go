package zookeeper

import "lockquake/lock"

// served lists the faults under which the locks serve their callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// leaseClaims are those of a lock without a fencing token: a holder that is stopped, or a write that is
// late, can meet the next holder.
func leaseClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Told: served(), Service: served(),
		Also: "no corruption under work that overruns",
	}
}

// fencedClaims are those of a lock with a fencing token. A member that lags does no harm, since a
// contender has seen its own znode.
func fencedClaims() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend, lock.ClassServer, lock.ClassStale)
	return lock.Claims{
		Corruption: all, Fencing: all, Told: served(), Service: served(),
		Also: "no corruption after a crash of servers that keep their data",
	}
}
