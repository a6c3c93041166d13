package etcd

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks in an etcd cluster.
func Family() lock.Family {
	f := lock.Family{Name: Name, Parts: parts(), Tasks: []string{"renewal"}}
	for _, e := range presets() {
		e.Defaults.Complete(f.Parts)
		e.New = newLock
		if e.Permits {
			e.New = newPermits
			delete(e.Defaults.Parts, "readers")
		}
		e.Topology = lock.Topology{Members: 3}
		e.Records = func(key string) []string { return []string{recordOf(key)} }
		e.Shares = e.Defaults.Parts["readers"] == "shared"
		e.Tells = e.Defaults.Parts["renewal"] == "keepalive"
		f.Strategies = append(f.Strategies, e)
	}
	return f
}

// parts lists the parts of all locks.
func parts() []lock.Part {
	return []lock.Part{
		fences().Part(), renewals().Part(), rechecks().Part(), readers().Part(), lock.LeaseChecks().Part(), lock.Refusals().Part(),
	}
}

// presets lists the locks, simplest first.
func presets() []lock.Entry {
	fenced := lock.With("fence", "revision")
	return []lock.Entry{
		preset("etcd", "a queue of keys with leases that are renewed: the first key has the lock, and its creation revision is the fencing token", fencedClaims(), fenced),
		preset("etcd-unfenced", "etcd without a fencing token", lock.LeaseClaims()),
		preset("etcd-rwlock", "etcd-unfenced, and sections that only read share the lock", lock.LeaseClaims(), lock.With("readers", "shared")),
		semaphore(preset("etcd-semaphore", "etcd-unfenced with several permits: as many of the first keys in the queue have a permit", lock.LeaseClaims())),
		flawed("etcd-no-recheck", "etcd, and a waiter does not check whether its own lease has ended in the queue", fenced, lock.With("recheck", "none")),
	}
}

// preset returns a lock without a known bug. Its lease of 10 s is renewed after each third of it, for up
// to 10 minutes.
func preset(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := lock.Entry{Name: name, Doc: doc, Family: Name, Claims: claims}
	e.Defaults.TTL, e.Defaults.MaxHold = 10*time.Second, 10*time.Minute
	e.Defaults.Set("renewal", "keepalive")
	for _, c := range changes {
		c(&e.Defaults)
	}
	return e
}

// semaphore returns a lock with several permits.
func semaphore(e lock.Entry) lock.Entry {
	e.Permits = true
	return e
}

// flawed returns a lock with a known bug.
func flawed(name, doc string, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, lock.Claims{}, changes...)
	e.Flawed = true
	return e
}
