package redis

import "lockquake/lock"

// lockType is a type of lock whose record is not a string, with its presets.
type lockType struct {
	presets                   []lock.Entry
	parts                     []lock.Part // beside those that all locks have
	new                       func(lock.Deps) lock.Strategy
	records                   func(key string) []string
	holders                   lock.Holders
	shares, permits, reenters bool
}

// lockTypes lists the locks whose holders have modes, and those that a holder can take again.
func lockTypes() []lockType {
	return []lockType{
		{
			presets: readWrites(), parts: []lock.Part{writerPreferences().Part(), readerRenewals().Part()}, new: newReadWrite,
			records: func(key string) []string { return []string{key, readersKey(key)} }, holders: readWriteHolders, shares: true,
		},
		{presets: semaphores(), parts: []lock.Part{permitClocks().Part()}, new: newSemaphore, records: onlyKey, holders: permitHolders, permits: true},
		{presets: reentrants(), parts: []lock.Part{countings().Part()}, new: newReentrant, records: onlyKey, holders: reentrantHolders, reenters: true},
	}
}

// readWrites lists the read-write locks.
func readWrites() []lock.Entry {
	return []lock.Entry{
		sound("redis-rwlock", "a read-write lock: each reader has a lease of its own in a sorted set, by the clock of the server, and a waiting writer keeps new readers out", telling("no corruption under work that overruns"), watchdog),
		flawed("redis-rwlock-starving", "redis-rwlock, and readers get in while a writer waits: if there always is a reader, the writer never gets in", watchdog, lock.With("writer-preference", "none")),
		flawed("redis-rwlock-zombie", "redis-rwlock, and the renewal of a reader renews all of them: a reader that has crashed keeps the writer out", watchdog, lock.With("reader-renewal", "all")),
	}
}

// semaphores lists the locks with several permits.
func semaphores() []lock.Entry {
	return []lock.Entry{
		sound("redis-semaphore", "a sorted set of the holders of permits, each with a lease of its own by the clock of the server", plain("")),
		flawed("redis-semaphore-clock", "redis-semaphore, ordered by the clocks of the clients: a client whose clock is slow is sorted before the holders and gets an extra permit", lock.With("lease-clock", "client")),
	}
}

// reentrants lists the locks that their holder can take again.
func reentrants() []lock.Entry {
	return []lock.Entry{
		sound("redis-reentrant", "a hash that counts how often its owner has taken the lock; the owner is one worker in its outermost section", plain("")),
		flawed("redis-reentrant-process", "redis-reentrant, with the process as the owner: two workers of one process have the lock at the same time", lock.With("owner", "instance")),
		flawed("redis-reentrant-resent", "redis-reentrant, with a counter that each request increments: a request without a reply is sent again and counts twice, and one release leaves the lock taken", lock.With("reentry", "increment"), lock.With("unknown", "resend")),
		flawed("redis-reentrant-uncounted", "redis-reentrant without a counter: the release of an inner section frees the lock", lock.With("reentry", "none")),
	}
}
