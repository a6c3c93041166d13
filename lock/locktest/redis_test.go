package locktest

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/scenarios/results"
)

// A library may compare an error with == redis.Nil.
func TestErrorsOfRedisReachTheLibraryAsTheyAre(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			if err := d.Redis.Get(ctx, "missing").Err(); err != goredis.Nil { //nolint:errorlint // as libraries do
				t.Errorf("a missing key is %v", err)
			}
			_, err := d.Redis.Pipelined(ctx, func(p goredis.Pipeliner) error { return p.Get(ctx, "missing").Err() })
			if err != goredis.Nil { //nolint:errorlint // as libraries do
				t.Errorf("in a pipeline a missing key is %v", err)
			}
			if err := release.Run(ctx, d.Redis, []string{"x"}, "y").Err(); err != nil {
				t.Errorf("a script returns %v", err)
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}

// The context ends 300 us after the command has left, which takes longer. It is for the race detector.
func TestTheContextOfACommandEndsWhileItIsUnderWay(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			short, stop := context.WithTimeout(ctx, 300*time.Microsecond)
			defer stop()
			if err := d.Redis.Get(short, "missing").Err(); err != goredis.Nil || short.Err() == nil { //nolint:errorlint // as libraries do
				t.Errorf("the command returns %v, and its context has the error %v", err, short.Err())
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}

// ownClient is a lock on a go-redis client that it makes itself, with the handshake, the pool and the resends of go-redis. The
// release watches the key.
func ownClient(d Deps) lock.Locker {
	c := goredis.NewClient(&goredis.Options{Addr: d.RedisServers.Addresses[0], Dialer: d.RedisServers.Dial, Protocol: 2})
	d.AtEnd(func() { _ = c.Close() })
	return Locker(func(ctx context.Context, key string) (Lease, error) {
		for {
			taken, err := c.SetNX(ctx, key, d.Worker, d.TTL).Result()
			if err != nil || taken {
				return &watchedLease{c, key, d.Worker}, err
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

type watchedLease struct {
	redis      *goredis.Client
	key, owner string
}

func (l *watchedLease) Unlock(ctx context.Context) error {
	return l.redis.Watch(ctx, func(tx *goredis.Tx) error {
		if owner, err := tx.Get(ctx, l.key).Result(); err != nil || owner != l.owner {
			return errors.Join(lock.ErrLost, err)
		}
		_, err := tx.TxPipelined(ctx, func(p goredis.Pipeliner) error { return p.Del(ctx, l.key).Err() })
		return err
	}, l.key)
}

// The fault of the scenario drops the reply to an acquire, so it must find the acquire of a client that speaks for itself.
func TestAClientThatTheLockMakesItself(t *testing.T) {
	Run(t, "lost-reply", ownClient, Seeds(3), Holds("lost-update", "exclusion", "ownership"))
	Run(t, "kleppmann", ownClient, Seeds(2), Violates("lost-update"), Set("expect", "{}"))
}

func TestAnUnknownAddressOfAServer(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		_, err := d.RedisServers.Dial(context.Background(), "tcp", "10.0.0.1:6379")
		if want := "locktest: no Redis server has the address 10.0.0.1:6379: give the client the addresses of Deps.RedisServers"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		return newSetNX(d)
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}

// A waiter on a client of its own hears of the release by a message, with a goroutine of go-redis, within 100 ms.
func TestAClientThatTheLockMakesItselfHearsMessages(t *testing.T) {
	late := 0
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		c := goredis.NewClient(&goredis.Options{Addr: d.RedisServers.Addresses[0], Dialer: d.RedisServers.Dial, Protocol: 2})
		d.AtEnd(func() { _ = c.Close() })
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			sub := c.Subscribe(ctx, "free")
			defer func() { _ = sub.Close() }()
			if _, err := sub.Receive(ctx); err != nil {
				return nil, err
			}
			for {
				taken, err := c.SetNX(ctx, key, d.Worker, d.TTL).Result()
				if err != nil || taken {
					return &publishedLease{c, key}, err
				}
				select {
				case m := <-sub.Channel():
					if at, err := time.Parse(time.RFC3339Nano, m.Payload); err != nil || time.Since(at) > 100*time.Millisecond {
						late++
					}
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update", "exclusion"))
	if late > 0 {
		t.Errorf("%d messages came late", late)
	}
}

// go-redis sends a command again after a reset of its connection, unless it is told not to. Then its caller gets the error that
// package net returns.
func TestAClientThatTheLockMakesItselfAfterAReset(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "resets.yaml", `
name: resets
duration: 20s
workers: 2
workload: {kind: counter, hold: 20ms}
network: {latency: 1ms}
lock: {ttl: 1m}
strategies: [redis]
faults:
  - {reset: {from: worker-1, to: lock, every: 101ms}}
checks: [lost-update]
`)
	for _, retries := range []int{0, -1} { // 0: 3 times
		resets, others := 0, []error(nil)
		Run(t, "resets.yaml", func(d Deps) lock.Locker {
			c := goredis.NewClient(&goredis.Options{Addr: d.RedisServers.Addresses[0], Dialer: d.RedisServers.Dial, Protocol: 2, MaxRetries: retries})
			d.AtEnd(func() { _ = c.Close() })
			return Locker(func(ctx context.Context, key string) (Lease, error) {
				for range 100 {
					switch err := c.Get(ctx, "missing").Err(); {
					case errors.Is(err, syscall.ECONNRESET):
						resets++
					case !errors.Is(err, goredis.Nil) && ctx.Err() == nil:
						others = append(others, err)
					}
				}
				return newSetNX(d).Acquire(ctx, key)
			})
		}, Seeds(1), Results(func(*results.Campaign) {}))
		if seen := retries == -1; seen != (resets > 0) || len(others) > 0 {
			t.Errorf("with %d retries: %d resets, other errors %v", retries, resets, others)
		}
	}
}

type publishedLease struct {
	redis *goredis.Client
	key   string
}

func (l *publishedLease) Unlock(ctx context.Context) error {
	if err := l.redis.Del(ctx, l.key).Err(); err != nil {
		return err
	}
	return l.redis.Publish(ctx, "free", time.Now().Format(time.RFC3339Nano)).Err()
}
