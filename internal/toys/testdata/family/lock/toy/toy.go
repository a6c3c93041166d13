// Package toy is a lock on registers with compare-and-set: it takes a register from
// empty to its own name.
package toy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// Family returns the locks on toy servers.
func Family() lock.Family {
	return lock.Family{Name: "toy", Strategies: []lock.Entry{{
		Name: "toy-cas", Doc: "a register is set from empty to the holder, for a ttl",
		Defaults: lock.Params{TTL: 2 * time.Second, Retry: lock.Retry{Attempts: 20, Delay: 100 * time.Millisecond}},
		New: func(d lock.Deps) lock.Strategy {
			return lock.WithLock(&locker{d.Env, d.Port.(Port), d.Params, d.Env.Rand("lock")})
		},
	}}}
}

// Swap sets a register to New if it holds Old, "" for empty. With a TTL it is empty
// again after that time.
type Swap struct {
	Key, Old, New string
	TTL           time.Duration
}

// Port is the client of the servers.
type Port interface {
	// Swap reports whether the register was set.
	Swap(ctx context.Context, q Swap) (bool, error)
}

// locker implements lock.Locker. It never looks at a clock, as many do not.
type locker struct {
	env    env.Env
	port   Port
	params lock.Params
	random *rand.Rand
}

func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	q := Swap{Key: key, New: fmt.Sprintf("%016x", l.random.Uint64()), TTL: l.params.TTL}
	for n := 1; ; n++ {
		won, err := l.port.Swap(env.WithOp(ctx, "acquire"), q)
		switch {
		case err != nil:
			_ = lease{l, ctx, q}.Release(ctx) // nobody must be kept out by a holder that knows nothing of it
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		case won:
			return lease{l, ctx, q}, nil
		case n >= int(l.params.Retry.Attempts):
			return nil, fmt.Errorf("acquire %s: %w", key, lock.ErrNotObtained)
		}
		if err := l.env.Sleep(ctx, l.params.Retry.Delay); err != nil {
			return nil, err
		}
	}
}

type lease struct {
	locker *locker
	ctx    context.Context
	taken  Swap
}

func (l lease) Context() context.Context { return l.ctx }
func (l lease) Check() error             { return nil }
func (l lease) Token() int64             { return 0 }

func (l lease) Release(ctx context.Context) error {
	was, err := l.locker.port.Swap(env.WithOp(ctx, "release"), Swap{Key: l.taken.Key, Old: l.taken.New})
	switch {
	case err != nil:
		return fmt.Errorf("release: %w: %w", lock.ErrUnknown, err)
	case !was:
		return lock.ErrLost
	}
	return nil
}
