package redis

import "lockquake/lock"

// crashes lists the faults under which every lock with a lease prevents corruption.
func crashes() []lock.Class { return []lock.Class{lock.ClassCrash, lock.ClassUnknown} }

// served lists the faults under which a lock with a lease serves its callers.
func served() []lock.Class {
	return []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash}
}

// plain returns the claims of a lock without fencing tokens. Also is a claim in words.
func plain(also string) lock.Claims {
	return lock.Claims{Corruption: crashes(), Service: served(), Also: also}
}

// telling returns the claims of a lock that tells its holder of a loss.
func telling(also string) lock.Claims {
	c := plain(also)
	c.Told = served()
	return c
}

// fencing returns the claims of a lock with fencing tokens.
func fencing() lock.Claims {
	all := append(served(), lock.ClassClock, lock.ClassSuspend)
	return lock.Claims{Corruption: all, Fencing: all, Service: served()}
}
