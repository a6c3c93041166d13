package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// release decides how a lease is released.
type release struct {
	// end ends the section; nil for lock.EndSection.
	end lock.Ending
	// free makes the request that frees the key.
	free func(l *locker, r *lease) request
	// ignoresLoss: a key of another owner counts as released, and so does any answer of
	// a quorum.
	ignoresLoss bool
	// ignoresAll: every answer counts as released, even an error.
	ignoresAll bool
}

func releases() lock.Choice[release] {
	c := lock.Choice[release]{Name: "release", Doc: "how the key is released, and what the answer means", Options: []lock.Option[release]{
		{Way: lock.Sound("compare", "compare-and-delete; if the key has another owner, the lock is reported as lost"), Value: release{free: freeOwn}},
		{Way: lock.Flaw("plain", "`DEL`, even if the key has another owner"), Value: release{free: freeAny}},
		{Way: lock.Flaw("ignored", "compare-and-delete; success is reported even if the key has another owner, and with several servers after any answers of a quorum"), Value: release{free: freeOwn, ignoresLoss: true}},
		{Way: lock.Flaw("never", "a call that always fails; its error is swallowed"), Value: release{free: freeNothing, ignoresAll: true}},
	}}
	for _, flaw := range lock.FlawedEndings() {
		c.Options = append(c.Options, lock.Option[release]{Way: flaw.Way, Value: release{free: freeOwn, end: flaw.Value}})
	}
	return c
}

func freeOwn(l *locker, r *lease) request { return l.deleteRequest(r, r.owner) }

func freeAny(_ *locker, r *lease) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return client.Del(ctx, r.records()...).Result()
	}
}

// freeNothing calls the script without a key, so it always fails.
func freeNothing(l *locker, r *lease) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return l.deleteOwn.Run(ctx, client, nil, r.key, r.owner).Int64()
	}
}

// compareAndDelete frees the key of an attempt that failed, and reports whether the
// attempt had it.
func (l *locker) compareAndDelete(ctx context.Context, r *lease) (bool, error) {
	return l.ask(env.WithOp(ctx, "release"), r.queues, l.deleteRequest(r, r.owner))
}

// deleteRequest returns the request that deletes the lease's key if owner has it.
func (l *locker) deleteRequest(r *lease, owner string) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		if l.nodes != nil {
			ctx = context.WithoutCancel(ctx) // the request goes on after the caller stops waiting for this server
		}
		if l.form != nil {
			return l.run(ctx, client, l.deleteOwn, r.records(), owner)
		}
		return l.deleteOwn.Run(ctx, client, r.records(), owner).Int64()
	}
}

const (
	// releaseScript deletes the key KEYS[1] if its owner is ARGV[1].
	releaseScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`
	// announcedReleaseScript is releaseScript, and also publishes the release to the
	// waiters.
	announcedReleaseScript = `
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call("PUBLISH", KEYS[1] .. ":released", "")
return redis.call("DEL", KEYS[1])`
)
