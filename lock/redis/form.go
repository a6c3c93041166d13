package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// form is how one server keeps the grants of a lock, if that is not a string with the owner.
//
// Each script gets the records as KEYS, the owner as ARGV[1], the length of the lease in
// milliseconds as ARGV[2], and then the values of args. It returns 1 if the owner has got, or had,
// a grant that has not ended, and 0 otherwise. A script may return 0 to a repeated request of the owner,
// whose first one took effect.
type form struct {
	records           func(key string) []string
	take, renew, free string
	args              func(l *locker) []any // nil: none
	// mark returns the record that an acquire deletes when it gives up, since it keeps others out; nil: none.
	mark func(key string) string
}

// use makes the locker keep its grants in a form. Such a lock has no fencing tokens, no message of
// its release and no reaper.
func (l *locker) use(f *form) {
	take := goredis.NewScript(f.take)
	l.form, l.fenced, l.waiting, l.reaping = f, false, waiting{}, noReaper()
	l.deleteOwn, l.renew = goredis.NewScript(f.free), goredis.NewScript(f.renew)
	l.grant = func(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
		return l.run(ctx, client, take, keys, owner)
	}
}

// run runs a script about the lease of an owner.
func (l *locker) run(ctx context.Context, client goredis.Cmdable, script *goredis.Script, records []string, owner string) (int64, error) {
	args := []any{owner, l.params.TTL.Milliseconds()}
	if l.form != nil && l.form.args != nil {
		args = append(args, l.form.args(l)...)
	}
	return script.Run(ctx, client, records, args...).Int64()
}

// withdraw deletes the mark of an acquire that gives up: its attempts are used up, its context has ended, or an attempt has failed.
// A mark that stays, because the server does not answer, ends by itself.
func (l *locker) withdraw(ctx context.Context, key string) {
	if l.form != nil && l.form.mark != nil {
		l.port.Client.Del(env.WithOp(context.WithoutCancel(ctx), "release"), l.form.mark(key))
	}
}

// recordsOf returns the names of the records of a lock.
func (l *locker) recordsOf(key string) []string {
	if l.form == nil {
		return []string{key}
	}
	return l.form.records(key)
}

// onlyKey returns the record of a lock that has only one.
func onlyKey(key string) []string { return []string{key} }

// serverNow begins a script that needs the time of the server's clock, in milliseconds.
const serverNow = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

// The scripts of a lock whose holders are the members of the sorted set KEYS[1]. The score of a member
// is the end of its lease in Unix milliseconds. A member whose lease has ended may stay in the set, so
// each script compares the score with its clock. The set expires with its last lease.
const (
	addMember = `
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1])
if redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 1`
	dropEnded = `
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)`
	refuseEnded = `
local ends = redis.call("ZSCORE", KEYS[1], ARGV[1])
if not ends or tonumber(ends) <= now then
  return 0
end`
	renewMember = refuseEnded + addMember
	freeMember  = refuseEnded + `
return redis.call("ZREM", KEYS[1], ARGV[1])`
)
