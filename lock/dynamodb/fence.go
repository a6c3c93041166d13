package dynamodb

import "lockquake/lock"

// fences lists whether a lock hands out fencing tokens.
func fences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "fence", Doc: "where the fencing token comes from", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no token"), Value: false},
		{Way: lock.Sound("counter", "a counter in the item, which each grant increments; a contender takes the lock only if the counter is as it saw it, and the item stays after the release"), Value: true},
	}}
}
