package campaign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
)

// scripted is a lock whose every step is one script. Each is given the owner, the
// lease in milliseconds, and the keys.
type scripted struct {
	lock.Deps
	keys             func(key string) []string
	acquire, release string
	random           *rand.Rand
}

func newScripted(keys func(string) []string, acquire, release string) func(lock.Deps) lock.Strategy {
	return func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&scripted{d, keys, acquire, release, d.Env.Rand("owner")})
	}
}

func (l *scripted) run(ctx context.Context, op, script, key, owner string) (bool, error) {
	n, err := lockredis.PortOf(l.Deps).Client.Eval(env.WithOp(ctx, op), script, l.keys(key), owner, l.Params.TTL.Milliseconds()).Int64()
	if err != nil {
		return false, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	return n == 1, nil
}

func (l *scripted) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	owner := fmt.Sprintf("%016x", l.random.Uint64())
	for {
		won, err := l.run(ctx, "acquire", l.acquire, key, owner)
		if won {
			return &scriptedLease{l, ctx, key, owner}, nil
		}
		if err == nil {
			err = l.Env.Sleep(ctx, 50*time.Millisecond+time.Duration(l.random.Int64N(int64(50*time.Millisecond))))
		}
		if err != nil { // whatever it has asked for, it must not be in the way
			_, _ = l.run(context.WithoutCancel(ctx), "release", l.release, key, owner)
			return nil, err
		}
	}
}

type scriptedLease struct {
	lock       *scripted
	ctx        context.Context
	key, owner string
}

func (l *scriptedLease) Context() context.Context { return l.ctx }
func (l *scriptedLease) Check() error             { return nil }
func (l *scriptedLease) Token() int64             { return 0 }

func (l *scriptedLease) Release(ctx context.Context) error {
	switch freed, err := l.lock.run(ctx, "release", l.lock.release, l.key, l.owner); {
	case err != nil:
		return err
	case !freed:
		return lock.ErrLost
	}
	return nil
}

func itself(key string) []string { return []string{key} }

const serverTime = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `

// hashRecord is a hash of the owner, with a deadline.
func hashRecord(flawed bool) lock.Entry {
	release := `if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`
	if flawed {
		release = `return redis.call('DEL', KEYS[1])`
	}
	return lock.Entry{Name: "hash-record", New: newScripted(itself, `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`, release)}
}

// keptRecord leaves its record behind, empty, when it is given back.
func keptRecord(flawed bool) lock.Entry {
	release := `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('SET', KEYS[1], '') return 1`
	if flawed {
		release = `redis.call('SET', KEYS[1], '') return 1`
	}
	return lock.Entry{
		Name: "kept-record",
		New: newScripted(itself, `
if (redis.call('GET', KEYS[1]) or '') ~= '' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`, release),
		Holders: func(s lock.State) ([]lock.Holder, error) {
			if r := s.Record(s.Key); r.Text != "" {
				return []lock.Holder{{Owner: r.Text}}, nil
			}
			return nil, nil
		},
	}
}

// stampedRecord has the end of the lease in its value, and is taken over when that
// is past.
func stampedRecord(flawed bool) lock.Entry {
	release := `local v = redis.call('GET', KEYS[1]) if not v or string.sub(v, -16) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`
	if flawed {
		release = `return redis.call('DEL', KEYS[1])`
	}
	return lock.Entry{
		Name: "stamped-record",
		New: newScripted(itself, serverTime+`
local v = redis.call('GET', KEYS[1])
if v and tonumber(string.match(v, '^lease until (%d+)')) > now then return 0 end
redis.call('SET', KEYS[1], 'lease until ' .. string.format('%d', now + ARGV[2]) .. ' of ' .. ARGV[1])
return 1`, release),
		Holders: func(s lock.State) ([]lock.Holder, error) {
			var end int64
			var owner string
			r := s.Record(s.Key)
			if r.Kind == lock.RecordAbsent {
				return nil, nil
			}
			if _, err := fmt.Sscanf(r.Text, "lease until %d of %s", &end, &owner); err != nil {
				return nil, err
			}
			return []lock.Holder{{Owner: owner, End: time.UnixMilli(end)}}, nil
		},
	}
}

// fairQueue serves its waiters in the order in which they came. The head of the
// queue has the lock, as long as it is among the living.
func fairQueue(flawed bool) lock.Entry {
	keys := func(key string) []string { return []string{key + ":queue", key + ":living", key + ":next"} }
	bury := `
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('ZREM', KEYS[1], dead) redis.call('ZREM', KEYS[2], dead)
end`
	if flawed { // who is gone stays at the head
		bury = ""
	}
	return lock.Entry{
		Name: "fair-queue",
		New: newScripted(keys, serverTime+bury+`
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[3]), ARGV[1]) end
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, 0)[1] == ARGV[1] and 1 or 0`, serverTime+bury+`
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`),
		Records: keys,
		Holders: func(s lock.State) ([]lock.Holder, error) {
			for _, head := range s.Record(s.Key + ":queue").Members {
				if flawed {
					return []lock.Holder{{Owner: head.Name}}, nil
				}
				for _, m := range s.Record(s.Key + ":living").Members {
					if end := time.UnixMilli(int64(m.Score)); m.Name == head.Name && end.After(s.Now) {
						return []lock.Holder{{Owner: head.Name, End: end}}, nil
					}
				}
			}
			return nil, nil
		},
	}
}

// semaphore has two permits.
func semaphore(flawed bool) lock.Entry {
	release := `return redis.call('ZREM', KEYS[1], ARGV[1])`
	if flawed { // it gives back the oldest permit
		release = `return redis.call('ZREMRANGEBYRANK', KEYS[1], 0, 0)`
	}
	return lock.Entry{
		Name: "semaphore",
		New: newScripted(itself, serverTime+`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= 2 then return 0 end
return redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])`, serverTime+`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
`+release),
		Holders: func(s lock.State) ([]lock.Holder, error) {
			var list []lock.Holder
			for _, m := range s.Record(s.Key).Members {
				list = append(list, lock.Holder{Owner: m.Name, Mode: lock.ModeShared, End: time.UnixMilli(int64(m.Score))})
			}
			return list, nil
		},
	}
}

// election is a lock in the style of client-go: its holder rewrites a document from time to time,
// and others take it over when they have seen it unchanged for the duration that it contains.
type election struct {
	lock.Deps
	patience time.Duration // how long the document has to be unchanged
	random   *rand.Rand
}

type document struct {
	Holder string        `json:"holderIdentity"`
	Lease  time.Duration `json:"leaseDuration"`
	Renew  time.Time     `json:"renewTime"`
}

func electionRecord(flawed bool) lock.Entry {
	return lock.Entry{
		Name: "election",
		New: func(d lock.Deps) lock.Strategy {
			e := &election{Deps: d, patience: d.Params.TTL, random: d.Env.Rand("election")}
			if flawed {
				e.patience = d.Params.TTL / 8 // it waits for less than the time between two renewals
			}
			return lock.WithLock(e)
		},
		Holders: func(s lock.State) ([]lock.Holder, error) {
			r := s.Record(s.Key)
			if r.Kind == lock.RecordAbsent {
				return nil, nil
			}
			var d document
			if err := json.Unmarshal([]byte(r.Text), &d); err != nil {
				return nil, err
			}
			if d.Holder == "" {
				return nil, nil
			}
			return []lock.Holder{{Owner: d.Holder, For: d.Lease}}, nil
		},
	}
}

const swap = `if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end redis.call('SET', KEYS[1], ARGV[2]) return 1`

// write puts a document in the place of the text that was read.
func (e *election) write(ctx context.Context, op, key, before, holder string) (string, bool, error) {
	text, err := json.Marshal(document{holder, e.Params.TTL, e.Env.Now()})
	if err != nil {
		return "", false, err
	}
	n, err := lockredis.PortOf(e.Deps).Client.Eval(env.WithOp(ctx, op), swap, []string{key}, before, text).Int64()
	return string(text), n == 1, err
}

func (e *election) read(ctx context.Context, op, key string) (text string, d document, err error) {
	text, err = lockredis.PortOf(e.Deps).Client.Get(env.WithOp(ctx, op), key).Result()
	if errors.Is(err, redis.Nil) {
		return "", d, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &d)
	}
	return text, d, err
}

func (e *election) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	id := fmt.Sprintf("%016x", e.random.Uint64())
	var seen string
	var since time.Duration
	for {
		if text, d, err := e.read(ctx, "acquire", key); err == nil {
			if text != seen {
				seen, since = text, e.Env.Mono()
			}
			if d.Holder == "" || d.Holder == id || e.Env.Mono() >= since+e.patience {
				at := e.Env.Mono()
				if text, won, _ := e.write(ctx, "acquire", key, text, id); won {
					return e.lease(ctx, key, id, text, at), nil
				}
			}
		}
		if err := e.Env.Sleep(ctx, 50*time.Millisecond+time.Duration(e.random.Int64N(int64(50*time.Millisecond)))); err != nil {
			e.resign(context.WithoutCancel(ctx), key, id)
			return nil, err
		}
	}
}

// resign gives back what it may have got.
func (e *election) resign(ctx context.Context, key, id string) {
	if text, d, err := e.read(ctx, "release", key); err == nil && d.Holder == id {
		_, _, _ = e.write(ctx, "release", key, text, "")
	}
}

type electionLease struct {
	*election
	ctx      context.Context
	cancel   context.CancelCauseFunc
	key, id  string
	text     string
	renewed  time.Duration // when the last renewal that succeeded was sent
	stopping bool
	done     env.Sem
}

func (e *election) lease(ctx context.Context, key, id, text string, at time.Duration) lock.Lease {
	l := &electionLease{election: e, key: key, id: id, text: text, renewed: at}
	l.ctx, l.cancel = e.Env.WithCancel(ctx)
	l.done = e.Env.Go("renewal", l.renew)
	return l
}

// renew gives up well before others may take over.
func (l *electionLease) renew() {
	ctx := context.WithoutCancel(l.ctx)
	for !l.stopping {
		_ = l.Env.Sleep(l.ctx, l.Params.TTL/4)
		if l.stopping {
			return
		}
		at := l.Env.Mono()
		if l.Check() != nil {
			l.cancel(lock.ErrLost)
			return
		}
		text, won, err := l.write(ctx, "renew", l.key, l.text, l.id)
		switch {
		case won:
			l.text, l.renewed = text, at
		case err == nil: // it may be its own, by a renewal that had no answer
			if now, d, err := l.read(ctx, "renew", l.key); err == nil && d.Holder == l.id {
				l.text = now
			} else if err == nil {
				l.cancel(lock.ErrLost)
				return
			}
		}
	}
}

func (l *electionLease) Context() context.Context { return l.ctx }
func (l *electionLease) Token() int64             { return 0 }

func (l *electionLease) Check() error {
	if l.Env.Mono() > l.renewed+l.Params.TTL {
		return lock.ErrLost
	}
	return nil
}

func (l *electionLease) Release(ctx context.Context) error {
	l.stopping = true
	l.cancel(nil)
	if err := l.done.Acquire(ctx); err != nil {
		return err
	}
	text, d, err := l.read(ctx, "release", l.key)
	if err == nil && d.Holder == l.id {
		var freed bool
		if _, freed, err = l.write(ctx, "release", l.key, text, ""); freed {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	return lock.ErrLost
}

// refilling takes a quorum of three servers. While it holds the lock, it writes its key again to a
// server that has lost its data.
type refilling struct {
	lock.Deps
	grab   bool // the flaw: it takes a server from any other holder
	random *rand.Rand
}

func refillingQuorum(flawed bool) lock.Entry {
	return lock.Entry{
		Name: "refilling-quorum", Topology: lock.Topology{Nodes: 3}, Holders: lock.StringHolder,
		New: func(d lock.Deps) lock.Strategy {
			return lock.WithLock(&refilling{d, flawed, d.Env.Rand("refilling")})
		},
	}
}

// ask runs a script on all servers, one after another.
func (l *refilling) ask(ctx context.Context, op, script, key, owner string) (yes, no int) {
	for _, node := range lockredis.PortOf(l.Deps).Nodes {
		n, err := node.Eval(env.WithOp(ctx, op), script, []string{key}, owner, l.Params.TTL.Milliseconds()).Int64()
		switch {
		case err == nil && n > 0:
			yes++
		case err == nil:
			no++
		}
	}
	return yes, no
}

const (
	takeScript   = `return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0`
	grabScript   = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1`
	extendScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`
	freeScript   = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
)

func (l *refilling) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	for {
		owner, at := fmt.Sprintf("%016x", l.random.Uint64()), l.Env.Mono()
		yes, no := l.ask(ctx, "acquire", takeScript, key, owner)
		if yes >= 2 && l.Env.Mono() < at+l.Params.TTL/2 {
			lease := &refillingLease{refilling: l, key: key, owner: owner, end: at + l.Params.TTL}
			lease.ctx, lease.cancel = l.Env.WithCancel(ctx)
			lease.done = l.Env.Go("renewal", lease.refill)
			return lease, nil
		}
		l.ask(context.WithoutCancel(ctx), "release", freeScript, key, owner)
		if yes < 2 && no < 2 {
			return nil, lock.ErrUnknown
		}
		if err := l.Env.Sleep(ctx, 50*time.Millisecond+time.Duration(l.random.Int64N(int64(100*time.Millisecond)))); err != nil {
			return nil, err
		}
	}
}

type refillingLease struct {
	*refilling
	ctx        context.Context
	cancel     context.CancelCauseFunc
	key, owner string
	end        time.Duration
	stopping   bool
	done       env.Sem
}

func (l *refillingLease) refill() {
	ctx := context.WithoutCancel(l.ctx)
	for {
		_ = l.Env.Sleep(l.ctx, 50*time.Millisecond)
		at := l.Env.Mono()
		if l.stopping || at >= l.end {
			return
		}
		if yes, _ := l.ask(ctx, "renew", extendScript, l.key, l.owner); yes < 2 || l.stopping {
			continue
		}
		l.end = at + l.Params.TTL
		script := takeScript
		if l.grab {
			script = grabScript
		}
		l.ask(ctx, "refill", script, l.key, l.owner)
	}
}

func (l *refillingLease) Context() context.Context { return l.ctx }
func (l *refillingLease) Token() int64             { return 0 }

func (l *refillingLease) Check() error {
	if l.Env.Mono() >= l.end {
		return lock.ErrLost
	}
	return nil
}

func (l *refillingLease) Release(ctx context.Context) error {
	l.stopping = true
	l.cancel(nil)
	if err := l.done.Acquire(ctx); err != nil {
		return err
	}
	switch yes, no := l.ask(ctx, "release", freeScript, l.key, l.owner); {
	case yes >= 2:
		return nil
	case no >= 2:
		return lock.ErrLost
	}
	return lock.ErrUnknown
}
