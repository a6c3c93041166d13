package dynamodb

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks in a table of DynamoDB.
func Family() lock.Family {
	f := lock.Family{Name: Name, Parts: parts(), Tasks: []string{"renewal"}}
	for _, e := range presets() {
		e.Defaults.Complete(f.Parts)
		e.New, e.Holders, e.Records, e.Tells = newLock, holders, recordOf, true
		f.Strategies = append(f.Strategies, e)
	}
	return f
}

func presets() []lock.Entry {
	return []lock.Entry{
		sound("dynamodb", "an item that a conditional write takes, with a version that heartbeats change; a contender takes over after the lease without a change; each grant increments a fencing token", fencedClaims(), lock.With("fence", "counter")),
		sound("dynamodb-unfenced", "dynamodb without a token; the release deletes the item", unfencedClaims()),
		sound("dynamodb-read", "dynamodb, and a waiter reads the item, and tries the write only if the lock looks free", fencedClaims(), lock.With("fence", "counter"), lock.With("poll", "read")),
		sound("dynamodb-eventual-read", "dynamodb-read, with reads that are not consistent", fencedClaims(), lock.With("fence", "counter"), lock.With("poll", "eventual-read")),
		flawed("dynamodb-ttl-clock", "dynamodb-unfenced, and the item has the end of its lease, which the wall clocks of the clients write and compare", lock.With("takeover", "expiry-time")),
		flawed("dynamodb-own-write", "dynamodb-unfenced, and a refusal counts as a refusal even if an earlier copy of the same write caused it", lock.With("own-write", "overlooked")),
		flawed("dynamodb-heartbeat-races", "dynamodb-unfenced, and the release does not wait for a heartbeat in flight", lock.With("renewal", "unordered")),
		flawed("dynamodb-heartbeat-recreates", "dynamodb-unfenced, and a heartbeat in flight at the release writes the item again", lock.With("renewal", "unconditional")),
	}
}

// preset returns a lock with the numbers of awslabs/amazon-dynamodb-lock-client: a lease of 20 s, a heartbeat
// every 5 s, and waiters that ask every second.
func preset(name, doc string, changes []lock.Change) lock.Entry {
	e := lock.Entry{Name: name, Doc: doc, Family: Name, Defaults: lock.Params{
		TTL: 20 * time.Second, RenewShare: 0.25, MaxHold: 10 * time.Minute,
		Retry: lock.Retry{Attempts: lock.Unlimited, Delay: time.Second, Jitter: 100 * time.Millisecond},
	}}
	e.Defaults.Set("check", "clock")
	e.Defaults.Set("renewal", "heartbeat")
	for _, c := range changes {
		c(&e.Defaults)
	}
	return e
}

// sound returns a preset without a known bug.
func sound(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Claims = claims
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Flawed = true
	return e
}
