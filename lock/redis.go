package lock

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// redisLocker takes a key of one Redis server. The client must not resend by
// itself: a resend of a SET NX whose reply was lost finds its own key and
// takes it for somebody else's.
type redisLocker struct {
	env      env.Env
	client   redis.Cmdable
	params   Params
	random   *rand.Rand
	instance string // value of OwnerInstance
	scripts  redisScripts
}

func newRedisStrategy(d Deps) Strategy {
	l := &redisLocker{
		env: d.Env, client: d.Redis, params: d.Params, random: d.Env.Rand("lock"), scripts: newRedisScripts(d.Params.Fence),
	}
	return withLock{locker: l, release: d.Params.Release, refused: d.Params.Refused}
}

// Acquire implements Locker.
func (l *redisLocker) Acquire(ctx context.Context, key string) (Lease, error) {
	retry := l.params.Retry
	lease := &redisLease{locker: l, ctx: ctx, key: key}
	asking := env.WithOp(ctx, "acquire")
	for attempt := 1; ; attempt++ {
		lease.owner = l.newOwner()
		sent := l.env.Mono()
		won, err := l.take(asking, lease)
		switch {
		case err != nil && l.params.Unknown == UnknownCleanUp:
			// It may have taken effect. Nobody must be kept out by a key whose
			// owner believes that it has none.
			_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), lease)
			return nil, fmt.Errorf("acquire %s: %w: %w", key, ErrUnknown, join(err, cleanup))
		case won && err == nil:
			lease.end.Store(int64(sent + l.params.TTL))
			lease.begin()
			return lease, nil
		case retry.Attempts != Unlimited && attempt >= int(retry.Attempts):
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, attempt, ErrNotObtained)
		}
		if err := l.env.Sleep(ctx, retry.pause(attempt, l.random)); err != nil {
			return nil, fmt.Errorf("acquire %s: %w", key, err)
		}
	}
}

// newOwner makes a value that says whose the key is.
func (l *redisLocker) newOwner() string {
	random := func() string {
		var bits [16]byte
		binary.BigEndian.PutUint64(bits[:8], l.random.Uint64())
		binary.BigEndian.PutUint64(bits[8:], l.random.Uint64())
		return hex.EncodeToString(bits[:])
	}
	switch l.params.Owner {
	case OwnerInstance:
		if l.instance == "" {
			l.instance = random()
		}
		return l.instance
	case OwnerWeak:
		return fmt.Sprintf("1-%d", l.env.Now().UnixMilli())
	case OwnerConstant:
		return "locked"
	case OwnerRandom:
	}
	return random()
}

// take asks the server for the key once.
func (l *redisLocker) take(ctx context.Context, lease *redisLease) (won bool, err error) {
	switch l.params.Fence {
	case FenceInScript, FenceIncrFirst, FencePublished:
		if lease.keys == nil {
			lease.keys = []string{lease.key, lease.fenceKey()}
		}
		lease.token, err = l.scripts.fenced.Run(ctx, l.client, lease.keys, lease.owner, l.params.TTL.Milliseconds()).Int64()
		if errors.Is(err, redis.Nil) { // what the published script always answers
			return false, nil
		}
		return lease.token > 0, err
	case FenceSplit:
		if lease.token, err = l.client.Incr(ctx, lease.fenceKey()).Result(); err != nil {
			return false, err
		}
	case FenceNone:
	}
	return l.takeUnfenced(ctx, lease)
}

func (l *redisLocker) takeUnfenced(ctx context.Context, lease *redisLease) (won bool, err error) {
	switch l.params.Take {
	case TakeGetSet:
		err = l.client.Get(ctx, lease.key).Err()
		if !errors.Is(err, redis.Nil) {
			return false, err
		}
		err = l.client.Set(ctx, lease.key, lease.owner, l.params.TTL).Err()
		return err == nil, err
	case TakeNoExpiry:
		return l.client.SetNX(ctx, lease.key, lease.owner, 0).Result()
	case TakeSetNXExpire:
		won, err = l.client.SetNX(ctx, lease.key, lease.owner, 0).Result()
		if !won || err != nil {
			return false, err
		}
		return l.client.PExpire(ctx, lease.key, l.params.TTL).Result()
	case TakeAtomic:
	}
	return l.client.SetNX(ctx, lease.key, lease.owner, l.params.TTL).Result()
}

// compareAndDelete frees the key if it is the lease's, and reports whether
// it was.
func (l *redisLocker) compareAndDelete(ctx context.Context, lease *redisLease) (bool, error) {
	n, err := l.scripts.release.Run(env.WithOp(ctx, "release"), l.client, []string{lease.key}, lease.owner).Int64()
	return n == 1, err
}

// pause draws the time from an attempt to the next.
func (r Retry) pause(attempt int, random *rand.Rand) time.Duration {
	const longest = 24 * time.Hour
	delay := r.Delay
	for i := 1; r.Doubling && i < attempt && delay < longest; i++ {
		delay *= 2
	}
	if r.Jitter <= 0 {
		return delay
	}
	return delay + time.Duration(random.Int64N(int64(r.Jitter)))
}
