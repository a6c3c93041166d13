package redis

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// redisLocker takes a key of one Redis server, or of a quorum of several. The
// client must not resend by itself: a resend of a SET NX whose reply was lost
// finds its own key and takes it for somebody else's.
type locker struct {
	env      env.Env
	client   goredis.Cmdable   // of the one server
	nodes    []goredis.Cmdable // of the several servers; nil where there is one
	params   lock.Params
	random   *rand.Rand
	instance string // value of OwnerInstance
	scripts  redisScripts
	// Of locks that wait for a message.
	subscriber, shared Subscriber
	reapers            map[string]*reaper                // by key
	handles            map[string]*atomic.Pointer[lease] // RenewalZombie: by key
}

func newRedisStrategy(d lock.Deps) lock.Strategy { return newRedisLocker(d).strategy() }

func newRedisLocker(d lock.Deps) *locker {
	port := PortOf(d)
	return &locker{
		env: d.Env, client: port.Client, params: d.Params, random: d.Env.Rand("lock"), instance: d.Instance,
		scripts: newRedisScripts(d.Params), subscriber: port.Subscriber, shared: port.SharedSubscriber,
	}
}

func (l *locker) strategy() lock.Strategy {
	return lock.Recipe{Locker: l, Release: l.params.Release, Refused: l.params.Refused}
}

// Acquire implements Locker.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	retry := l.params.Retry
	lease := &lease{locker: l, ctx: ctx, key: key, keys: []string{key}}
	if l.params.Fence != lock.FenceNone {
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
		if lease.owner == "" || l.params.Owner != lock.OwnerCall {
			lease.owner = l.newOwner()
		}
		won, err := attempt(asking, lease)
		switch {
		case won:
			lease.begin()
			return lease, nil
		case err != nil && l.nodes == nil:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		}
		last := retry.Attempts != lock.Unlimited && n >= int(retry.Attempts)
		if !last || retry.AfterLast {
			if err := bell.wait(ctx, key, n); err != nil {
				return nil, fmt.Errorf("acquire %s: %w", key, err)
			}
		}
		if last {
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, n, errors.Join(reason(err), err))
		}
	}
}

// reason is what an acquire tells that has given up after an attempt that ended
// with err.
func reason(err error) error {
	if err != nil {
		return lock.ErrUnknown
	}
	return lock.ErrNotObtained
}

// tryOne asks the one server for the key. After an error it is not known
// whether the lease has it.
func (l *locker) tryOne(ctx context.Context, lease *lease) (won bool, err error) {
	sent := l.env.Mono()
	n, err := l.take(ctx, l.client, lease.keys, lease.owner)
	won = n > 0
	if won && err == nil && l.params.Wait > 0 {
		err = l.confirmed(ctx)
	}
	switch {
	case err != nil && l.params.Unknown == lock.UnknownRefused:
		return false, nil
	case err != nil:
		// It may have taken effect, or not have come to the replicas. Nobody must
		// be kept out by a key whose owner believes that it has none.
		_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), lease)
		return false, errors.Join(err, cleanup)
	case !won:
		return false, nil
	}
	if l.params.Fence != lock.FenceNone {
		lease.token = n
	}
	lease.end.Store(l.until(sent))
	l.enter(ctx, lease)
	return true, nil
}

// confirmed returns an error unless the wanted number of replicas has what this
// client wrote. The server counts what came over the connection of the WAIT,
// which is that of the write as long as a worker does one thing at a time.
func (l *locker) confirmed(ctx context.Context) error {
	client, ok := l.client.(interface {
		Wait(ctx context.Context, replicas int, timeout time.Duration) *goredis.IntCmd
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
func (l *locker) newOwner() string {
	random := func() string {
		var bits [16]byte
		binary.BigEndian.PutUint64(bits[:8], l.random.Uint64())
		binary.BigEndian.PutUint64(bits[8:], l.random.Uint64())
		var digits [32]byte
		hex.Encode(digits[:], bits[:])
		return string(digits[:])
	}
	switch l.params.Owner {
	case lock.OwnerInstance:
		if l.instance == "" {
			l.instance = random()
		}
		return l.instance
	case lock.OwnerWeak:
		return fmt.Sprintf("1-%d", l.env.Now().UnixMilli())
	case lock.OwnerConstant:
		return "locked"
	case lock.OwnerRandom, lock.OwnerCall:
	}
	return random()
}

// take asks a server for the first of keys; the second is the fence's counter. It returns 0 to a loser, and to a winner the
// fence, or 1 where there is none.
func (l *locker) take(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
	n, err := l.takeOnce(ctx, client, keys, owner)
	const resends = 3
	for i := 0; i < resends && l.params.Unknown == lock.UnknownResend && unanswered(err) && ctx.Err() == nil; i++ {
		n, err = l.takeOnce(ctx, client, keys, owner)
	}
	return n, err
}

// unanswered reports whether err is of the network, and not the server's word.
func unanswered(err error) bool {
	_, said := errors.AsType[goredis.Error](err)
	return err != nil && !said
}

func (l *locker) takeOnce(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
	switch l.params.Fence {
	case lock.FenceInScript, lock.FenceIncrFirst, lock.FencePublished:
		n, err := l.scripts.fenced.Run(ctx, client, keys, owner, l.params.TTL.Milliseconds()).Int64()
		if errors.Is(err, goredis.Nil) { // what the published script always answers
			return 0, nil
		}
		return n, err
	case lock.FenceSplit:
		n, err := client.Incr(ctx, keys[1]).Result()
		if err != nil {
			return 0, err
		}
		won, err := l.takeUnfenced(ctx, client, keys[0], owner)
		if !won {
			n = 0
		}
		return n, err
	case lock.FenceNone:
	}
	won, err := l.takeUnfenced(ctx, client, keys[0], owner)
	if !won {
		return 0, err
	}
	return 1, err
}

func (l *locker) takeUnfenced(ctx context.Context, client goredis.Cmdable, key, owner string) (won bool, err error) {
	switch l.params.Take {
	case lock.TakeGetSet:
		err = client.Get(ctx, key).Err()
		if !errors.Is(err, goredis.Nil) {
			return false, err
		}
		err = client.Set(ctx, key, owner, l.params.TTL).Err()
		return err == nil, err
	case lock.TakeNoExpiry:
		return client.SetNX(ctx, key, owner, 0).Result()
	case lock.TakeSetNXExpire:
		won, err = client.SetNX(ctx, key, owner, 0).Result()
		if !won || err != nil {
			return false, err
		}
		return client.PExpire(ctx, key, l.params.TTL).Result()
	case lock.TakeAtomic:
	}
	return client.SetNX(ctx, key, owner, l.params.TTL).Result()
}

// compareAndDelete frees the key if it is the lease's, and reports whether
// it was.
func (l *locker) compareAndDelete(ctx context.Context, lease *lease) (bool, error) {
	return l.agree(env.WithOp(ctx, "release"), lease.lanes, l.deletion(lease, lease.owner))
}

// deletion is the request that frees the lease's key if it is the owner's.
func (l *locker) deletion(lease *lease, owner string) request {
	return func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		if l.nodes != nil {
			ctx = context.WithoutCancel(ctx) // the key has to go even if nobody waits for this server any more
		}
		return l.scripts.release.Run(ctx, client, lease.keys[:1], owner).Int64()
	}
}

// handleOf returns where the locker keeps the lease that it holds of the key.
func (l *locker) handleOf(key string) *atomic.Pointer[lease] {
	if l.handles[key] == nil {
		if l.handles == nil {
			l.handles = map[string]*atomic.Pointer[lease]{}
		}
		l.handles[key] = &atomic.Pointer[lease]{}
	}
	return l.handles[key]
}
