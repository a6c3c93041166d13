package redis

import "lockquake/lock"

// crashes are the faults that no lock with a lease gives way to.
func crashes() []lock.Class { return []lock.Class{lock.ClassCrash, lock.ClassUnknown} }

// served are the faults under which a lock with a lease serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// plain is what a lock without tokens claims.
func plain(also string) lock.Claims {
	return lock.Claims{Corruption: crashes(), Service: served(), Also: also}
}

// telling is what a lock claims that tells its holder of a loss.
func telling(also string) lock.Claims {
	c := plain(also)
	c.Told = served()
	return c
}

// fencing is what a lock with tokens claims.
func fencing() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend)
	return lock.Claims{Corruption: all, Fencing: all, Service: served()}
}
