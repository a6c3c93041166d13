package redis

import (
	"time"

	"lockquake/lock"
)

// A read-write lock has three records: its key is a string with the writer as its owner; the readers
// are the members of a sorted set, each with its own lease; and a mark says that a writer waits.

func readersKey(key string) string { return key + ":readers" }
func waitingKey(key string) string { return key + ":waiting" }

// writerPreferences has whether a waiting writer keeps new readers out.
func writerPreferences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "writer-preference", Doc: "of a read-write lock: what happens to readers that come while a writer waits", Options: []lock.Option[bool]{
		{Way: lock.Sound("waiting", "they wait too, until the writer has had the lock"), Value: true},
		{Way: lock.Flaw("none", "they get in, so that there may always be a reader, and the writer waits forever"), Value: false},
	}}
}

// readerRenewals has the script that renews the lease of a reader.
func readerRenewals() lock.Choice[string] {
	return lock.Choice[string]{Name: "reader-renewal", Doc: "of a read-write lock: which leases the renewal of a reader renews", Options: []lock.Option[string]{
		{Way: lock.Sound("own", "its own"), Value: serverNow + renewMember},
		{Way: lock.Flaw("all", "those of all readers, also of readers that have crashed"), Value: serverNow + renewAllReaders},
	}}
}

// newReadWrite makes a read-write lock. It implements lock.Sharer.
func newReadWrite(d lock.Deps) lock.Strategy {
	writer := newLocker(d, nil, &form{
		records: func(key string) []string { return []string{key, readersKey(key), waitingKey(key)} },
		take:    serverNow + takeWrite, renew: renewScript, free: releaseScript, args: markTime, mark: waitingKey,
	})
	readers := newLocker(d, nil, &form{
		records: func(key string) []string { return []string{readersKey(key), key, waitingKey(key)} },
		take:    serverNow + takeRead, renew: readerRenewals().In(d.Params), free: serverNow + freeMember,
	})
	return lock.SharedRecipe{Recipe: writer.recipe(), Readers: readers}
}

// markTime returns for how many milliseconds a refused writer keeps readers out. It is long enough for
// its next attempt, and short if its process ends; 0 if it does not keep them out. A writer that gives up
// deletes the mark, also if another one waits, which sets it again at its next attempt.
func markTime(l *locker) []any {
	const shortest = 100 * time.Millisecond
	if !writerPreferences().In(l.params) {
		return []any{0}
	}
	retry := l.params.Retry
	return []any{max(shortest, 3*(retry.Delay+retry.Jitter)).Milliseconds()}
}

// readWriteHolders reads the holders of a read-write lock.
func readWriteHolders(s lock.State) ([]lock.Holder, error) {
	var list []lock.Holder
	if writer := s.Record(s.Key); writer.Kind != lock.RecordAbsent {
		list = append(list, lock.Holder{Owner: writer.Text, End: writer.End})
	}
	return append(list, members(s.Record(readersKey(s.Key)))...), nil
}

// members reads the members of a sorted set as holders that share a lock.
func members(r lock.Record) []lock.Holder {
	var list []lock.Holder
	for _, m := range r.Members {
		list = append(list, lock.Holder{Owner: m.Name, Mode: lock.ModeShared, End: time.UnixMilli(int64(m.Score))})
	}
	return list
}

const (
	// takeWrite takes the key KEYS[1] if no reader is in KEYS[2]. Otherwise it sets the mark KEYS[3] for
	// ARGV[3] ms.
	takeWrite = `
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now)
if redis.call("EXISTS", KEYS[1]) == 1 or redis.call("ZCARD", KEYS[2]) > 0 then
  if tonumber(ARGV[3]) > 0 then
    redis.call("SET", KEYS[3], "", "PX", ARGV[3])
  end
  return 0
end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
redis.call("DEL", KEYS[3])
return 1`
	// takeRead adds a reader to KEYS[1], unless a writer has the key KEYS[2] or waits for it.
	takeRead = `
if redis.call("EXISTS", KEYS[2], KEYS[3]) > 0 then
  return 0
end` + addMember
	// renewAllReaders renews all readers in KEYS[1] if the owner is one of them.
	renewAllReaders = refuseEnded + `
for _, reader in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do
  redis.call("ZADD", KEYS[1], now + ARGV[2], reader)
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return 1`
)
