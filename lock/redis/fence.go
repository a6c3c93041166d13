package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// grant asks a server for the first of keys. The second key is the counter of the
// fence tokens. It returns 0 to a loser. A winner gets the token, or 1 if there is none.
type grant func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error)

// fence makes the grant of a locker once, when the locker is made.
type fence func(l *locker) grant

func fences() lock.Choice[fence] {
	return lock.Choice[fence]{Name: "fence", Doc: "where the fence token comes from", Options: []lock.Option[fence]{
		{Way: lock.Sound("none", "no token"), Do: fenceNone},
		{Way: lock.Sound("in-script", "the script that grants counts it up, for winners only"), Do: byScript(fencedScript)},
		{Way: lock.Sound("incr-first", "that script counts before it tries, so losers use up numbers"), Do: byScript(incrFirstScript)},
		{Way: lock.Flaw("split", "a command of its own counts it up, before the acquire"), Do: fenceSplit},
		{Way: lock.Flaw("published", "a script that compares a table with `OK`, and answers nil after a `SET` that took effect"), Do: byScript(publishedScript)},
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

// fenceSplit counts up before it asks, so the order of the tokens is not the order of
// the grants.
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

// byScript lets one script take the key and count the token.
func byScript(text string) fence {
	return func(l *locker) grant {
		script := goredis.NewScript(text)
		return func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
			n, err := script.Run(ctx, client, keys, owner, l.params.TTL.Milliseconds()).Int64()
			if errors.Is(err, goredis.Nil) { // what publishedScript always answers
				return 0, nil
			}
			return n, err
		}
	}
}

const (
	// fencedScript takes the key for ARGV[2] ms, and counts the fence KEYS[2]
	// up only for a winner. It returns the fence, 0 to a loser.
	fencedScript = `
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`
	// incrFirstScript counts up for everybody who asks.
	incrFirstScript = `
local fence = redis.call("INCR", KEYS[2])
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return fence
end
return 0`
	// publishedScript compares the reply of SET, which is a table inside a
	// script, with a string, and so never sees that it won.
	publishedScript = `
local fence = redis.call("INCR", KEYS[2])
local taken = redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
if taken == "OK" then
  return fence
end
return nil`
)
