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

// reaping says whether a third actor deletes locks that look abandoned, of one server.
type reaping struct {
	// enter puts the owner of a grant into the list of the living.
	enter func(ctx context.Context, l *locker, r *lease)
	// watch sees to it that the worker looks after the key.
	watch func(l *locker, key string)
}

func reapings() lock.Choice[reaping] {
	return lock.Choice[reaping]{Name: "reaper", Doc: "whether a third actor deletes locks that look abandoned", Options: []lock.Option[reaping]{
		{Way: lock.Sound("none", "nobody"), Do: noReaper()},
		{
			Way: lock.Flaw("live-list", "every worker deletes a lock whose owner is not in a list that it was entered in once, for 5 s"),
			Do:  reaping{enterLiving, watchForDead},
		},
	}}
}

func noReaper() reaping {
	return reaping{func(context.Context, *locker, *lease) {}, func(*locker, string) {}}
}

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

// enterLiving enters the owner once. The entry does not live as long as the grant:
// that is the flaw. Without the entry nothing else is different, so its error is
// dropped.
func enterLiving(ctx context.Context, l *locker, r *lease) {
	_ = l.port.Client.Set(env.WithOp(ctx, "enter"), liveKey(r.key, r.owner), "1", liveTime).Err()
}

// watchForDead starts the reaper of the worker, unless it runs.
func watchForDead(l *locker, key string) {
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
	owner, err := l.port.Client.Get(ctx, key).Result()
	if errors.Is(err, goredis.Nil) {
		return nil
	}
	if err != nil {
		return err
	}
	if n, err := l.port.Client.Exists(ctx, liveKey(key, owner)).Result(); n > 0 || err != nil {
		return err
	}
	return l.port.Client.Del(ctx, key).Err()
}
