package etcd

import "lockquake/lock"

// fences lists whether a lock hands out fencing tokens.
func fences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "fence", Doc: "where the fencing token comes from", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no token"), Value: false},
		{Way: lock.Sound("revision", "the revision in which the key of the holder was created"), Value: true},
	}}
}

// renewals lists who renews the lease of a session.
func renewals() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "renewal", Doc: "who renews the lease, and what a refusal means", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no renewal"), Value: false},
		{Way: lock.Sound("keepalive", "a task renews it, in the queue too; after a loss it tells the holder and stops the work"), Value: true},
	}}
}

// rechecks lists what a waiter checks when it is its turn.
func rechecks() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "recheck", Doc: "what a waiter checks when it is its turn", Options: []lock.Option[bool]{
		{Way: lock.Sound("own-key", "that its own key is still there"), Value: true},
		{Way: lock.Flaw("none", "nothing: its own lease may have expired in the queue"), Value: false},
	}}
}

// readers lists whether sections that only read share the lock.
func readers() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "readers", Doc: "whether sections that only read share the lock", Options: []lock.Option[bool]{
		{Way: lock.Sound("exclusive", "they do not"), Value: false},
		{Way: lock.Sound("shared", "they do"), Value: true},
	}}
}
