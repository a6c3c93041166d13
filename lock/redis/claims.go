package redis

import "lockquake/lock"

// plain returns the claims of a lock without fencing tokens. Also is a claim in words.
func plain(also string) lock.Claims {
	return lock.Claims{Corruption: []lock.Class{lock.ClassCrash, lock.ClassUnknown}, Service: lock.Served(), Also: also}
}

// telling returns the claims of a lock that tells its holder of a loss.
func telling(also string) lock.Claims {
	c := plain(also)
	c.Told = lock.Served()
	return c
}

// fencing returns the claims of a lock with fencing tokens.
func fencing() lock.Claims {
	c := lock.FencedClaims()
	c.Told = nil
	return c
}
