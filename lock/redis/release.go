package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// release says how a lease is given back.
type release struct {
	// end ends the section; nil: as it should be.
	end lock.Ending
	// free makes the request that frees the key.
	free func(l *locker, r *lease) request
	// ignoresLoss: a key of another owner counts as released, and so does any answer of
	// a quorum.
	ignoresLoss bool
	// ignoresAll: any answer counts as released, also an error.
	ignoresAll bool
}

func releases() lock.Choice[release] {
	c := lock.Choice[release]{Name: "release", Doc: "how the key is given back, and what the answer means", Options: []lock.Option[release]{
		{Way: lock.Sound("compare", "compare-and-delete; somebody else's value is reported as lost"), Do: release{free: freeOwn}},
		{Way: lock.Flaw("plain", "`DEL`, whatever its owner"), Do: release{free: freeAny}},
		{Way: lock.Flaw("ignored", "compare-and-delete, and somebody else's value is reported as success; so is any answer of a quorum"), Do: release{free: freeOwn, ignoresLoss: true}},
		{Way: lock.Flaw("never", "a call that always fails, and whose error is swallowed"), Do: release{free: freeNothing, ignoresAll: true}},
	}}
	for _, wrong := range lock.WrongEndings() {
		c.Options = append(c.Options, lock.Option[release]{Way: wrong.Way, Do: release{free: freeOwn, end: wrong.Do}})
	}
	return c
}

func freeOwn(l *locker, r *lease) request { return l.deletion(r, r.owner) }

func freeAny(_ *locker, r *lease) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return client.Del(ctx, r.key).Result()
	}
}

// freeNothing gives the script no key, so the script always fails.
func freeNothing(l *locker, r *lease) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return l.deleteOwn.Run(ctx, client, nil, r.key, r.owner).Int64()
	}
}

// deletion returns the request that frees the lease's key if it is the owner's.
func (l *locker) deletion(r *lease, owner string) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		if l.nodes != nil {
			ctx = context.WithoutCancel(ctx) // the key has to go, even if the caller waits for this server no longer
		}
		return l.deleteOwn.Run(ctx, client, r.keys[:1], owner).Int64()
	}
}

const (
	// releaseScript deletes the key if it is still the owner's.
	releaseScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`
	// announcedReleaseScript is releaseScript, and tells the waiters.
	announcedReleaseScript = `
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call("PUBLISH", KEYS[1] .. ":released", "")
return redis.call("DEL", KEYS[1])`
)
