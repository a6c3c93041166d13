package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// grant asks a server for the first of keys. The second key is the counter of the
// fencing tokens. It returns 0 if the server refuses. Otherwise it returns the token, or
// 1 for a lock without tokens.
type grant func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error)

// fence makes the grant function of a locker. It is called once, when the locker is
// made.
type fence func(l *locker) grant

func fences() lock.Choice[fence] {
	return lock.Choice[fence]{Name: "fence", Doc: "where the fencing token comes from", Options: []lock.Option[fence]{
		{Way: lock.Sound("none", "no token"), Value: fenceNone},
		{Way: lock.Sound("in-script", "the script that grants the lock increments it, for winners only"), Value: byScript(fencedScript)},
		{Way: lock.Sound("incr-first", "that script increments it before it tries to take the key, so losers use up numbers"), Value: byScript(incrFirstScript)},
		{Way: lock.Flaw("split", "a separate command increments it before the acquire"), Value: fenceSplit},
		{Way: lock.Flaw("published", "a script that compares a table with `OK`, and answers nil after a `SET` that took effect"), Value: byScript(publishedScript)},
	}}
}

func fenceNone(l *locker) grant {
	return func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
		won, err := l.take(ctx, client, keys[0], owner, l.params.TTL)
		if !won {
			return 0, err
		}
		return 1, err
	}
}

// fenceSplit increments the counter before it asks for the key, so the order of the
// tokens is not the order of the grants.
func fenceSplit(l *locker) grant {
	return func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
		n, err := client.Incr(ctx, keys[1]).Result()
		if err != nil {
			return 0, err
		}
		won, err := l.take(ctx, client, keys[0], owner, l.params.TTL)
		if !won {
			n = 0
		}
		return n, err
	}
}

// byScript returns a fence whose script takes the key and increments the counter.
func byScript(text string) fence {
	return func(l *locker) grant {
		script := goredis.NewScript(text)
		var ttl any = l.params.TTL.Milliseconds() // made once
		return func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
			n, err := script.Run(ctx, client, keys, owner, ttl).Int64()
			if errors.Is(err, goredis.Nil) { // publishedScript always answers nil
				return 0, nil
			}
			return n, err
		}
	}
}

const (
	// fencedScript takes the key KEYS[1] for ARGV[2] ms. For a winner it increments
	// the counter KEYS[2] and returns it. It returns 0 to a loser.
	fencedScript = `
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`
	// incrFirstScript increments the counter for losers too.
	incrFirstScript = `
local fence = redis.call("INCR", KEYS[2])
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return fence
end
return 0`
	// publishedScript compares the reply of SET with a string. Inside a script that
	// reply is a table, so the script takes the key and reports a refusal.
	publishedScript = `
local fence = redis.call("INCR", KEYS[2])
local taken = redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
if taken == "OK" then
  return fence
end
return nil`
)
