package lock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// The scripts of the Redis strategies. The owner's value is ARGV[1].
const (
	// releaseScript deletes the key if it is still the owner's.
	releaseScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`
	// renewScript gives the key a new expiry of ARGV[2] ms if it is still the
	// owner's.
	renewScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`
	// fencedScript takes the key for ARGV[2] ms, and counts the fence KEYS[2]
	// up only for a winner. It returns the fence, 0 to a loser.
	fencedScript = `
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`
)

// redisParts are what one Redis strategy has and another has not.
type redisParts struct {
	checked bool // the holder compares its clock before each write
	renewed bool // a task renews the lease
	fenced  bool // the grant carries a token that rises
}

// redisLocker takes a key of one Redis server. The client must not resend by
// itself: a resend of a SET NX whose reply was lost finds its own key and
// takes it for somebody else's.
type redisLocker struct {
	env    env.Env
	client redis.Cmdable
	params Params
	parts  redisParts
	random *rand.Rand

	release, renew, fenced *redis.Script
}

func newRedisLocker(d Deps, parts redisParts) *redisLocker {
	return &redisLocker{
		env: d.Env, client: d.Redis, params: d.Params, parts: parts, random: d.Env.Rand("lock"),
		release: redis.NewScript(releaseScript),
		renew:   redis.NewScript(renewScript),
		fenced:  redis.NewScript(fencedScript),
	}
}

// Acquire implements Locker.
func (l *redisLocker) Acquire(ctx context.Context, key string) (Lease, error) {
	for attempt := 1; ; attempt++ {
		lease := &redisLease{locker: l, ctx: ctx, key: key, owner: l.newOwner()}
		sent := l.env.Mono()
		won, err := l.take(env.WithOp(ctx, "acquire"), lease)
		switch {
		case err != nil:
			// It may have taken effect. Nobody must be kept out by a key whose
			// owner believes that it has none.
			_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), lease)
			return nil, fmt.Errorf("acquire %s: %w: %w", key, ErrUnknown, join(err, cleanup))
		case won:
			lease.end.Store(int64(sent + l.params.TTL))
			if l.parts.renewed {
				lease.watch()
			}
			return lease, nil
		case l.params.Retry.Attempts != Unlimited && attempt >= int(l.params.Retry.Attempts):
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, attempt, ErrNotObtained)
		}
		if err := l.env.Sleep(ctx, l.params.Retry.pause(l.random)); err != nil {
			return nil, fmt.Errorf("acquire %s: %w", key, err)
		}
	}
}

// newOwner makes a value that says whose the key is: 128 random bits.
func (l *redisLocker) newOwner() string {
	return fmt.Sprintf("%016x%016x", l.random.Uint64(), l.random.Uint64())
}

// take asks the server for the key once.
func (l *redisLocker) take(ctx context.Context, lease *redisLease) (won bool, err error) {
	if !l.parts.fenced {
		return l.client.SetNX(ctx, lease.key, lease.owner, l.params.TTL).Result()
	}
	keys := []string{lease.key, lease.key + ":fence"}
	lease.token, err = l.fenced.Run(ctx, l.client, keys, lease.owner, l.params.TTL.Milliseconds()).Int64()
	return lease.token > 0, err
}

// compareAndDelete frees the key if it is the lease's, and reports whether
// it was.
func (l *redisLocker) compareAndDelete(ctx context.Context, lease *redisLease) (bool, error) {
	n, err := l.release.Run(env.WithOp(ctx, "release"), l.client, []string{lease.key}, lease.owner).Int64()
	return n == 1, err
}

// pause draws the time until the next attempt.
func (r Retry) pause(random *rand.Rand) time.Duration {
	if r.Jitter <= 0 {
		return r.Delay
	}
	return r.Delay + time.Duration(random.Int64N(int64(r.Jitter)))
}
