package redis

import "lockquake/lock"

// A semaphore is a sorted set. Its members are the holders of permits, each with its own lease.

// permitClocks has the beginning of the scripts, which reads the clock.
func permitClocks() lock.Choice[string] {
	return lock.Choice[string]{Name: "lease-clock", Doc: "the clock by which the lease of a permit expires", Options: []lock.Option[string]{
		{Way: lock.Sound("server", "the clock of the server"), Value: serverNow},
		{Way: lock.Flaw("client", "the clock of each client"), Value: clientNow},
	}}
}

// clientNow begins a script with the time of the client's clock, in milliseconds.
const clientNow = `
local now = tonumber(ARGV[4])`

// newSemaphore makes a semaphore. It implements lock.Semaphore.
func newSemaphore(d lock.Deps) lock.Strategy {
	clock := permitClocks().In(d.Params)
	take := takePermit
	if clock == clientNow {
		take = takeRank
	}
	lockers := map[int]*locker{} // by the number of permits
	of := func(permits int) lock.Locker {
		if lockers[permits] == nil {
			lockers[permits] = newLocker(d, nil, &form{
				records: onlyKey, take: clock + take, renew: clock + renewMember, free: clock + freeMember,
				args: func(l *locker) []any { return []any{permits, l.env.Now().UnixMilli()} },
			})
		}
		return lockers[permits]
	}
	return lock.PermitRecipe{Recipe: newLocker(d, nil, nil).recipe(), Of: of}
}

// permitHolders reads the holders of permits.
func permitHolders(s lock.State) ([]lock.Holder, error) { return members(s.Record(s.Key)), nil }

const (
	// takePermit adds the owner to the holders in KEYS[1] if they are fewer than ARGV[3].
	takePermit = dropEnded + `
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end` + addMember
	// takeRank adds the owner to KEYS[1], and removes it again unless it is among the first ARGV[3] there.
	takeRank = dropEnded + `
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1])
if redis.call("ZRANK", KEYS[1], ARGV[1]) >= tonumber(ARGV[3]) then
  redis.call("ZREM", KEYS[1], ARGV[1])
  return 0
end` + addMember
)
