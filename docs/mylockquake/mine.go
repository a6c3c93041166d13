package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
)

// entry describes the lock to lockquake.
func entry() lock.Entry {
	return lock.Entry{Name: "mine", Doc: "SET NX with a lease, and DEL to release", New: newMine}
}

// mine is a lock as people often write it: it sets the key with an expiry, and deletes it after the
// work.
type mine struct {
	env   env.Env
	redis redis.Cmdable
	ttl   time.Duration
}

var (
	_ lock.Locker = (*mine)(nil)
	_ lock.Lease  = (*lease)(nil)
)

// newMine is called once for each worker of each run.
func newMine(d lock.Deps) lock.Strategy {
	return lock.WithLock(&mine{d.Env, lockredis.PortOf(d).Client, d.Params.TTL})
}

// Acquire tries until it has the key.
func (m *mine) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	for {
		taken, err := m.redis.SetNX(ctx, key, "taken", m.ttl).Result()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		}
		if taken {
			return &lease{m, ctx, key}, nil
		}
		if err := m.env.Sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

type lease struct {
	*mine
	ctx context.Context
	key string
}

func (l *lease) Context() context.Context { return l.ctx }
func (l *lease) Check() error             { return nil }
func (l *lease) Token() int64             { return 0 }

// Release deletes the key. The flaw: another worker may hold it by now.
func (l *lease) Release(ctx context.Context) error {
	return l.redis.Del(ctx, l.key).Err()
}
