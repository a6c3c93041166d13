package lock

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// redisLocker takes a key of one Redis server, or of a quorum of several. The
// client must not resend by itself: a resend of a SET NX whose reply was lost
// finds its own key and takes it for somebody else's.
type redisLocker struct {
	env      env.Env
	client   redis.Cmdable   // of the one server
	nodes    []redis.Cmdable // of the several servers; nil where there is one
	params   Params
	random   *rand.Rand
	instance string // value of OwnerInstance
	scripts  redisScripts
	// Of locks that wait for a message.
	subscriber, shared Subscriber
	reapers            map[string]*reaper                     // by key
	handles            map[string]*atomic.Pointer[redisLease] // RenewalZombie: by key
}

func newRedisStrategy(d Deps) Strategy { return newRedisLocker(d).strategy() }

func newRedisLocker(d Deps) *redisLocker {
	return &redisLocker{
		env: d.Env, client: d.Redis, params: d.Params, random: d.Env.Rand("lock"), instance: d.Instance,
		scripts: newRedisScripts(d.Params), subscriber: d.Subscriber, shared: d.SharedSubscriber,
	}
}

func (l *redisLocker) strategy() Strategy {
	return withLock{locker: l, release: l.params.Release, refused: l.params.Refused}
}

// Acquire implements Locker.
func (l *redisLocker) Acquire(ctx context.Context, key string) (Lease, error) {
	retry := l.params.Retry
	lease := &redisLease{locker: l, ctx: ctx, key: key, keys: []string{key}}
	if l.params.Fence != FenceNone {
		lease.keys = append(lease.keys, lease.fenceKey())
	}
	asking := env.WithOp(ctx, "acquire")
	attempt := l.tryOne
	if l.nodes != nil {
		attempt = l.tryQuorum
	}
	l.reap(key)
	bell := &bell{locker: l}
	defer bell.close(ctx)
	for n := 1; ; n++ {
		if lease.owner == "" || l.params.Owner != OwnerCall {
			lease.owner = l.newOwner()
		}
		won, err := attempt(asking, lease)
		switch {
		case won:
			lease.begin()
			return lease, nil
		case err != nil && l.nodes == nil:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, ErrUnknown, err)
		}
		last := retry.Attempts != Unlimited && n >= int(retry.Attempts)
		if !last || retry.AfterLast {
			if err := bell.wait(ctx, key, n); err != nil {
				return nil, fmt.Errorf("acquire %s: %w", key, err)
			}
		}
		if last {
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, n, join(reason(err), err))
		}
	}
}

// reason is what an acquire tells that has given up after an attempt that ended
// with err.
func reason(err error) error {
	if err != nil {
		return ErrUnknown
	}
	return ErrNotObtained
}

// tryOne asks the one server for the key. After an error it is not known
// whether the lease has it.
func (l *redisLocker) tryOne(ctx context.Context, lease *redisLease) (won bool, err error) {
	sent := l.env.Mono()
	n, err := l.take(ctx, l.client, lease.keys, lease.owner)
	won = n > 0
	if won && err == nil && l.params.Wait > 0 {
		err = l.confirmed(ctx)
	}
	switch {
	case err != nil && l.params.Unknown == UnknownRefused:
		return false, nil
	case err != nil:
		// It may have taken effect, or not have come to the replicas. Nobody must
		// be kept out by a key whose owner believes that it has none.
		_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), lease)
		return false, join(err, cleanup)
	case !won:
		return false, nil
	}
	if l.params.Fence != FenceNone {
		lease.token = n
	}
	lease.end.Store(l.until(sent))
	l.enter(ctx, lease)
	return true, nil
}

// confirmed returns an error unless the wanted number of replicas has what this
// client wrote. The server counts what came over the connection of the WAIT,
// which is that of the write as long as a worker does one thing at a time.
func (l *redisLocker) confirmed(ctx context.Context) error {
	client, ok := l.client.(interface {
		Wait(ctx context.Context, replicas int, timeout time.Duration) *redis.IntCmd
	})
	if !ok {
		return fmt.Errorf("a %T cannot wait for replicas", l.client)
	}
	n, err := client.Wait(env.WithOp(ctx, "wait"), l.params.Wait, l.params.NodeTimeout).Result()
	if err == nil && n < int64(l.params.Wait) {
		err = fmt.Errorf("confirmed by %d of %d replicas", n, l.params.Wait)
	}
	return err
}

// newOwner makes a value that says whose the key is.
func (l *redisLocker) newOwner() string {
	random := func() string {
		var bits [16]byte
		binary.BigEndian.PutUint64(bits[:8], l.random.Uint64())
		binary.BigEndian.PutUint64(bits[8:], l.random.Uint64())
		var digits [32]byte
		hex.Encode(digits[:], bits[:])
		return string(digits[:])
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
	case OwnerRandom, OwnerCall:
	}
	return random()
}

// take asks a server for the first of keys; the second is the fence's counter. It returns 0 to a loser, and to a winner the
// fence, or 1 where there is none.
func (l *redisLocker) take(ctx context.Context, client redis.Cmdable, keys []string, owner string) (int64, error) {
	n, err := l.takeOnce(ctx, client, keys, owner)
	const resends = 3
	for i := 0; i < resends && l.params.Unknown == UnknownResend && unanswered(err) && ctx.Err() == nil; i++ {
		n, err = l.takeOnce(ctx, client, keys, owner)
	}
	return n, err
}

// unanswered reports whether err is of the network, and not the server's word.
func unanswered(err error) bool {
	_, said := errors.AsType[redis.Error](err)
	return err != nil && !said
}

func (l *redisLocker) takeOnce(ctx context.Context, client redis.Cmdable, keys []string, owner string) (int64, error) {
	switch l.params.Fence {
	case FenceInScript, FenceIncrFirst, FencePublished:
		n, err := l.scripts.fenced.Run(ctx, client, keys, owner, l.params.TTL.Milliseconds()).Int64()
		if errors.Is(err, redis.Nil) { // what the published script always answers
			return 0, nil
		}
		return n, err
	case FenceSplit:
		n, err := client.Incr(ctx, keys[1]).Result()
		if err != nil {
			return 0, err
		}
		won, err := l.takeUnfenced(ctx, client, keys[0], owner)
		if !won {
			n = 0
		}
		return n, err
	case FenceNone:
	}
	won, err := l.takeUnfenced(ctx, client, keys[0], owner)
	if !won {
		return 0, err
	}
	return 1, err
}

func (l *redisLocker) takeUnfenced(ctx context.Context, client redis.Cmdable, key, owner string) (won bool, err error) {
	switch l.params.Take {
	case TakeGetSet:
		err = client.Get(ctx, key).Err()
		if !errors.Is(err, redis.Nil) {
			return false, err
		}
		err = client.Set(ctx, key, owner, l.params.TTL).Err()
		return err == nil, err
	case TakeNoExpiry:
		return client.SetNX(ctx, key, owner, 0).Result()
	case TakeSetNXExpire:
		won, err = client.SetNX(ctx, key, owner, 0).Result()
		if !won || err != nil {
			return false, err
		}
		return client.PExpire(ctx, key, l.params.TTL).Result()
	case TakeAtomic:
	}
	return client.SetNX(ctx, key, owner, l.params.TTL).Result()
}

// compareAndDelete frees the key if it is the lease's, and reports whether
// it was.
func (l *redisLocker) compareAndDelete(ctx context.Context, lease *redisLease) (bool, error) {
	return l.agree(env.WithOp(ctx, "release"), lease.lanes, l.deletion(lease, lease.owner))
}

// deletion is the request that frees the lease's key if it is the owner's.
func (l *redisLocker) deletion(lease *redisLease, owner string) request {
	return func(ctx context.Context, client redis.Cmdable) (int64, error) {
		if l.nodes != nil {
			ctx = context.WithoutCancel(ctx) // the key has to go even if nobody waits for this server any more
		}
		return l.scripts.release.Run(ctx, client, lease.keys[:1], owner).Int64()
	}
}

// handleOf returns where the locker keeps the lease that it holds of the key.
func (l *redisLocker) handleOf(key string) *atomic.Pointer[redisLease] {
	if l.handles[key] == nil {
		if l.handles == nil {
			l.handles = map[string]*atomic.Pointer[redisLease]{}
		}
		l.handles[key] = &atomic.Pointer[redisLease]{}
	}
	return l.handles[key]
}

// pause draws the time from an attempt to the next.
func (r Retry) pause(attempt int, random *rand.Rand) time.Duration {
	const longest = 24 * time.Hour
	delay := r.Delay
	for i := 1; r.Doubling && i < attempt && delay < longest; i++ {
		delay *= 2
	}
	if r.Random && delay > 0 {
		delay = time.Duration(random.Int64N(int64(delay)))
	}
	if r.Jitter <= 0 {
		return delay
	}
	return delay + time.Duration(random.Int64N(int64(r.Jitter)))
}
