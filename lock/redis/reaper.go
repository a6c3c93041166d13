package redis

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// liveTime is how long an owner stays in the list of the living, and reapPeriod
// how often a reaper looks.
const (
	liveTime   = 5 * time.Second
	reapPeriod = time.Second
)

// reaper is one worker's share in looking after one key. It looks as long as
// the worker uses the lock, and for a TTL after that.
type reaper struct {
	asked   atomic.Int64 // when the worker last asked for the lock, on its monotonic clock
	running atomic.Bool
}

// liveKey is the entry of an owner in the list of the living.
func liveKey(key, owner string) string { return key + ":live:" + owner }

// enter puts the owner of a grant into the list, once: it does not stay there
// for as long as the grant does. Without the entry nothing else is different, so
// its error tells nobody anything.
func (l *locker) enter(ctx context.Context, lease *lease) {
	if l.params.Reaper == lock.ReaperLive {
		_ = l.client.Set(env.WithOp(ctx, "enter"), liveKey(lease.key, lease.owner), "1", liveTime).Err()
	}
}

// reap sees to it that this worker looks after the key.
func (l *locker) reap(key string) {
	if l.params.Reaper != lock.ReaperLive || l.nodes != nil {
		return
	}
	r := l.reapers[key]
	if r == nil {
		if l.reapers == nil {
			l.reapers = map[string]*reaper{}
		}
		r = &reaper{}
		l.reapers[key] = r
	}
	r.asked.Store(int64(l.env.Mono()))
	if r.running.Swap(true) {
		return
	}
	l.env.Go("reaper", func() {
		defer r.running.Store(false)
		ctx := env.WithOp(context.Background(), "reap")
		for l.env.Sleep(ctx, reapPeriod) == nil && l.env.Mono() < time.Duration(r.asked.Load())+l.params.TTL {
			_ = l.reapOnce(ctx, key) // it looks again soon
		}
	})
}

// reapOnce deletes the key if its owner is not in the list.
func (l *locker) reapOnce(ctx context.Context, key string) error {
	owner, err := l.client.Get(ctx, key).Result()
	if errors.Is(err, goredis.Nil) {
		return nil
	}
	if err != nil {
		return err
	}
	if n, err := l.client.Exists(ctx, liveKey(key, owner)).Result(); n > 0 || err != nil {
		return err
	}
	return l.client.Del(ctx, key).Err()
}
