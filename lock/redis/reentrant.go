package redis

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// A re-entrant lock is a hash with one field: its name is the owner, and its value is how often the
// owner has locked the key and not unlocked it yet.

// counting decides how a server counts.
type counting struct{ take, free string }

func countings() lock.Choice[counting] {
	return lock.Choice[counting]{Name: "reentry", Doc: "of a re-entrant lock: how the server counts the sections of its holder", Options: []lock.Option[counting]{
		{Way: lock.Sound("number", "a request states the new count, so a copy of it changes nothing"), Value: counting{takeReentrant + setCount, refuseOthers + leaveCount}},
		{Way: lock.Flaw("increment", "a request adds one and a release subtracts one, so a request that is sent twice counts twice"), Value: counting{takeReentrant + addCount, refuseOthers + subtractCount}},
		{Way: lock.Flaw("none", "it does not count: the first release frees the lock"), Value: counting{takeReentrant + setCount, refuseOthers + freeHash}},
	}}
}

// reentrant takes a key that its holder can take again. A holder is one worker: it knows which keys it
// holds and how often. It implements lock.Locker.
type reentrant struct {
	*locker
	count counting
	held  map[string]*reentry // by key: the outermost section of its holder
}

// newReentrant makes a re-entrant lock.
func newReentrant(d lock.Deps) lock.Strategy {
	l := &reentrant{newLocker(d, nil, nil), countings().In(d.Params), map[string]*reentry{}}
	recipe := l.recipe()
	l.use(l.nth(1))
	recipe.Locker = l
	return recipe
}

// nth returns the form of the nth section of a holder, counted from the outermost.
func (l *reentrant) nth(n int) *form {
	return &form{records: onlyKey, take: l.count.take, renew: renewHash, free: l.count.free, args: func(*locker) []any { return []any{n} }}
}

// reentry is the lease of one section of a holder.
type reentry struct {
	*lease         // of the outermost section
	locker *locker // of this one
	ctx    context.Context
	from   *reentrant
	inside int // of the outermost section: how many sections are inside it
}

// Acquire implements lock.Locker. A section inside another one does not wait: if the server refuses it,
// the holder has lost the lock.
func (l *reentrant) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	outer := l.held[key]
	if outer == nil {
		got, err := l.locker.Acquire(ctx, key)
		if err != nil {
			return nil, err
		}
		l.held[key] = &reentry{lease: got.(*lease), locker: l.locker, ctx: got.Context(), from: l}
		return l.held[key], nil
	}
	const outermost = 1
	inner := *l.locker
	inner.use(l.nth(outermost + outer.inside + 1))
	sent := l.env.Mono()
	n, err := inner.requestGrant(env.WithOp(ctx, "acquire"), l.port.Client, outer.keys, outer.owner)
	switch {
	case err != nil:
		_, cleanup := inner.compareAndDelete(context.WithoutCancel(ctx), outer.lease)
		return nil, fmt.Errorf("acquire %s again: %w: %w", key, lock.ErrUnknown, errors.Join(err, cleanup))
	case n == 0:
		return nil, fmt.Errorf("acquire %s again: %w: the server had given it up before", key, lock.ErrLost)
	}
	outer.end.Store(l.leaseEnd(sent))
	outer.inside++
	return &reentry{lease: outer.lease, locker: &inner, ctx: ctx, from: l}, nil
}

func (r *reentry) Context() context.Context { return r.ctx }

// Release implements lock.Lease. The lock is free when the outermost section has released it.
func (r *reentry) Release(ctx context.Context) error {
	outer := r.from.held[r.key]
	if r == outer {
		delete(r.from.held, r.key)
		return r.lease.Release(ctx)
	}
	outer.inside--
	held, err := r.locker.ask(env.WithOp(ctx, "release"), nil, r.locker.release.free(r.locker, r.lease))
	return releaseError(r.key, held, err)
}

// reentrantHolders reads the holder of a re-entrant lock.
func reentrantHolders(s lock.State) ([]lock.Holder, error) {
	var list []lock.Holder
	for _, field := range s.Record(s.Key).Members {
		list = append(list, lock.Holder{Owner: field.Name})
	}
	return list, nil
}

const (
	// takeReentrant refuses the lock in the hash KEYS[1] unless the owner has it, or it is free and the
	// section is the outermost.
	takeReentrant = `
local held = redis.call("HEXISTS", KEYS[1], ARGV[1])
if held == 0 and (redis.call("EXISTS", KEYS[1]) == 1 or tonumber(ARGV[3]) > 1) then
  return 0
end`
	keepHash = `
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return 1`
	setCount = `
redis.call("HSET", KEYS[1], ARGV[1], ARGV[3])` + keepHash
	addCount = `
redis.call("HINCRBY", KEYS[1], ARGV[1], 1)` + keepHash
	refuseOthers = `
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
  return 0
end`
	freeHash = `
return redis.call("DEL", KEYS[1])`
	leaveCount = `
if tonumber(ARGV[3]) > 1 then
  redis.call("HSET", KEYS[1], ARGV[1], ARGV[3] - 1)
  return 1
end` + freeHash
	subtractCount = `
if redis.call("HINCRBY", KEYS[1], ARGV[1], -1) > 0 then
  return 1
end` + freeHash
	renewHash = refuseOthers + keepHash
)
