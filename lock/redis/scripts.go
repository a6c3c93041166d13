package redis

import (
	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// redisScripts are the scripts of one locker. The owner's value is ARGV[1].
type redisScripts struct {
	release, renew, recreate, fenced *goredis.Script
}

func newRedisScripts(p lock.Params) redisScripts {
	fenced := map[lock.Fence]string{
		lock.FenceInScript: fencedScript, lock.FenceIncrFirst: incrFirstScript, lock.FencePublished: publishedScript,
	}[p.Fence]
	release := releaseScript
	if p.Waiting == lock.WaitingMessage || p.Waiting == lock.WaitingMessageShared {
		release = announcedReleaseScript
	}
	return redisScripts{
		release:  goredis.NewScript(release),
		renew:    goredis.NewScript(renewScript),
		recreate: goredis.NewScript(recreateScript),
		fenced:   goredis.NewScript(fenced),
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
	// renewScript gives the key a new expiry of ARGV[2] ms if it is still the
	// owner's.
	renewScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`
	// recreateScript is renewScript that sets the key anew if there is none.
	recreateScript = `
local owner = redis.call("GET", KEYS[1])
if owner == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
elseif not owner then
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return 1
end
return 0`
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

// releaseChannel is where announcedReleaseScript tells of the key.
func releaseChannel(key string) string { return key + ":released" }
