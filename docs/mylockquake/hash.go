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

// hashEntry is a lock that stores its holder in a hash, and says how to read it.
func hashEntry() lock.Entry {
	return lock.Entry{
		Name: "in-hash", Doc: "a hash with its holder, deleted by that holder only", New: newInHash,
		Holders: func(s lock.State) ([]lock.Holder, error) {
			owner := s.Record(s.Key).Field("holder")
			if owner == "" {
				return nil, nil // free
			}
			return []lock.Holder{{Owner: owner}}, nil
		},
	}
}

type inHash struct {
	deps  lock.Deps
	redis redis.Cmdable
	local env.Sem // of the process: its workers wait for each other before they ask the server
}

func newInHash(d lock.Deps) lock.Strategy {
	local := lock.Shared(d.Process, "local", func() env.Sem { return d.Env.NewSem(1) })
	return lock.WithLock(&inHash{d, lockredis.PortOf(d).Client, local})
}

// Acquire tries until it has the key.
func (h *inHash) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	if err := h.local.Acquire(ctx); err != nil {
		return nil, err
	}
	owner := fmt.Sprintf("%x", h.deps.Env.Rand("owner").Uint64())
	take := redis.NewScript(`if redis.call("hsetnx", KEYS[1], "holder", ARGV[1]) == 0 then return 0 end
return redis.call("pexpire", KEYS[1], ARGV[2])`)
	for {
		taken, err := take.Run(env.WithOp(ctx, "acquire"), h.redis, []string{key}, owner, h.deps.Params.TTL.Milliseconds()).Bool()
		if err == nil && taken {
			return &hashLease{h, ctx, key, owner}, nil
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		} else {
			err = h.deps.Env.Sleep(ctx, 50*time.Millisecond)
		}
		if err != nil {
			h.local.Release()
			return nil, err
		}
	}
}

type hashLease struct {
	*inHash
	ctx        context.Context
	key, owner string
}

func (l *hashLease) Context() context.Context { return l.ctx }
func (l *hashLease) Check() error             { return nil }
func (l *hashLease) Token() int64             { return 0 }

// Release deletes the key if this worker still holds it.
func (l *hashLease) Release(ctx context.Context) error {
	defer l.local.Release()
	free := redis.NewScript(`return redis.call("hget", KEYS[1], "holder") == ARGV[1] and redis.call("del", KEYS[1]) or 0`)
	freed, err := free.Run(env.WithOp(ctx, "release"), l.redis, []string{l.key}, l.owner).Bool()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	case !freed:
		return lock.ErrLost
	}
	return nil
}
