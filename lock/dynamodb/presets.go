package dynamodb

import (
	"maps"
	"time"

	"lockquake/lock"
)

// Family returns the locks in a table of DynamoDB.
func Family() lock.Family {
	f := lock.Family{Name: Name, Parts: parts(), Tasks: []string{"renewal"}}
	for _, e := range presets() {
		changed := e.Defaults.Parts
		e.Defaults.Parts = maps.Clone(lock.Defaults(f.Parts))
		maps.Copy(e.Defaults.Parts, changed)
		e.New, e.Holders, e.Records, e.Tells = newLock, holders, recordOf, true
		f.Strategies = append(f.Strategies, e)
	}
	return f
}

func presets() []lock.Entry {
	return []lock.Entry{
		sound("dynamodb", "an item that a conditional write takes, with a version that heartbeats change; a contender takes over after the lease without a change; each grant increments a fencing token", fencedClaims(), with("fence", "counter")),
		sound("dynamodb-unfenced", "dynamodb without a token; the release deletes the item", leaseClaims()),
		sound("dynamodb-read", "dynamodb, and a waiter reads the item, and writes only if the lock looks free", fencedClaims(), with("fence", "counter"), with("poll", "read")),
		sound("dynamodb-eventual-read", "dynamodb-read, with reads that are not consistent", fencedClaims(), with("fence", "counter"), with("poll", "eventual-read")),
		flawed("dynamodb-ttl-clock", "dynamodb-unfenced, and the item has the end of its lease, which the wall clocks of the clients write and compare", with("takeover", "expiry-time")),
		flawed("dynamodb-own-write", "dynamodb-unfenced, and a refusal counts as one also if an earlier copy of the same write caused it", with("own-write", "overlooked")),
		flawed("dynamodb-heartbeat-races", "dynamodb-unfenced, and the release does not wait for a heartbeat that is under way", with("renewal", "unordered")),
		flawed("dynamodb-heartbeat-recreates", "dynamodb-unfenced, and a heartbeat that is under way at the release writes the item again", with("renewal", "unconditional")),
	}
}

// with names the way of a part.
func with(part, way string) func(p *lock.Params) {
	return func(p *lock.Params) { p.Set(part, way) }
}

// preset returns a lock with the numbers of awslabs/amazon-dynamodb-lock-client: a lease of 20 s, a heartbeat
// every 5 s, and waiters that ask every second.
func preset(name, doc string, changes []func(p *lock.Params)) lock.Entry {
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
func sound(name, doc string, claims lock.Claims, changes ...func(p *lock.Params)) lock.Entry {
	e := preset(name, doc, changes)
	e.Claims = claims
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...func(p *lock.Params)) lock.Entry {
	e := preset(name, doc, changes)
	e.Flawed = true
	return e
}
