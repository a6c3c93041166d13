package postgres

import "lockquake/lock"

// served lists the faults under which every lock of a database serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// sessionClaims are those of a lock that lasts as long as its session. A cut link can end the
// session while the work goes on. A crash of the holder frees the lock at once, while a request that
// it has sent on another connection may still arrive.
func sessionClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassPause, lock.ClassUnknown, lock.ClassClock, lock.ClassSuspend},
		Service:    served(),
		Also:       "no corruption under a crash, if no request of the crashed holder is under way",
	}
}

// transactionClaims are those of a lock that a transaction has together with its work: without the
// lock there is no commit.
func transactionClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{
			lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash, lock.ClassClock, lock.ClassSuspend, lock.ClassServer, lock.ClassSession,
		},
		Service: served(),
	}
}

// claimClaims are those of a job that is claimed by status. The work itself can run twice.
func claimClaims() lock.Claims {
	return lock.Claims{Service: served(), Also: "each job is completed once, though its work can run twice"}
}

// leaseClaims are those of a lease that its holder renews and checks.
func leaseClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Told: served(), Service: served(),
		Also: "no corruption under work that overruns",
	}
}

// fencedClaims are those of a lease with fencing tokens.
func fencedClaims() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend)
	return lock.Claims{Corruption: all, Fencing: all, Told: served(), Service: served()}
}
