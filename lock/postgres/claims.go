package postgres

import "lockquake/lock"

// sessionClaims are those of a lock that lasts as long as its session. A cut link can end the
// session while the work goes on. A crash of the holder frees the lock at once, while a request that
// it has sent on another connection may still arrive. A suspended machine loses its session when TCP
// keep-alive fails.
func sessionClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{lock.ClassPause, lock.ClassUnknown, lock.ClassClock, lock.ClassSuspend},
		Service:    lock.Served(),
		Also: "no corruption under a crash, if no request of the crashed holder is under way; " +
			"no corruption under a suspend only if it is shorter than the TCP keep-alive of the server (2 h 11 min by default)",
	}
}

// transactionClaims are those of a lock that a transaction has together with its work: without the
// lock there is no commit.
func transactionClaims() lock.Claims {
	return lock.Claims{
		Corruption: []lock.Class{
			lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash, lock.ClassClock, lock.ClassSuspend, lock.ClassServer, lock.ClassSession,
		},
		Service: lock.Served(),
	}
}

// claimClaims are those of a job that is claimed by status. The work itself can run twice.
func claimClaims() lock.Claims {
	return lock.Claims{Service: lock.Served(), Also: "each job is completed once, though its work can run twice"}
}
