package zookeeper

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks in a ZooKeeper service.
func Family() lock.Family {
	parts := []lock.Part{suspensions().Part(), fences().Part(), readerParts().Part(), lock.Refusals().Part()}
	f := lock.Family{Name: Name, Parts: parts, Tasks: []string{"guard", "cleanup"}}
	for _, e := range presets() {
		e.Defaults.Complete(parts)
		const timeout, pause, members = 10 * time.Second, 100 * time.Millisecond, 3
		e.Defaults.TTL, e.Defaults.Retry = timeout, lock.Retry{Attempts: lock.Unlimited, Delay: pause}
		e.Family, e.Topology.Members = Name, members
		e.Tells, e.Doubts = true, e.Defaults.Parts["suspended"] == "lost"
		e.Shares = e.Defaults.Parts["readers"] == "shared"
		e.Records = func(key string) []string { return []string{dirOf(key)} }
		e.Holders, e.New = holders, newLock
		if e.Permits {
			e.New = newPermits
			delete(e.Defaults.Parts, "readers")
		}
		f.Strategies = append(f.Strategies, e)
	}
	return f
}

// presets lists the strategies, with the parts that differ from the defaults.
func presets() []lock.Entry {
	return []lock.Entry{
		preset("zookeeper", "an ephemeral sequential znode, and a watch of the one before it; the number of its creation is the fencing token, and a holder without a connection counts its lock as lost", "fence", "czxid"),
		preset("zookeeper-unfenced", "zookeeper without a fencing token"),
		preset("zookeeper-rwlock", "zookeeper-unfenced, and sections that only read share the lock", "readers", "shared"),
		semaphore(preset("zookeeper-semaphore", "zookeeper-unfenced with several permits: as many of the first znodes in the queue have a permit, and the others watch the queue")),
		flawed("zookeeper-suspended-ok", "zookeeper-unfenced, and a holder without a connection continues to work until a server says that its session has expired", "suspended", "ignored"),
	}
}

// preset returns an entry with some parts changed. Changes are alternating part names and ways.
func preset(name, doc string, changes ...string) lock.Entry {
	e := lock.Entry{Name: name, Doc: doc, Claims: lock.LeaseClaims()}
	for i := 0; i+1 < len(changes); i += 2 {
		e.Defaults.Set(changes[i], changes[i+1])
	}
	if e.Fenced() {
		e.Claims = fencedClaims()
	}
	return e
}

// semaphore returns a preset with several permits.
func semaphore(e lock.Entry) lock.Entry {
	e.Permits = true
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...string) lock.Entry {
	e := preset(name, doc, changes...)
	e.Flawed, e.Claims = true, lock.Claims{}
	return e
}
