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

// reaping decides whether a reaper deletes locks whose owners seem to be dead. Only locks
// on one server have reapers.
type reaping struct {
	// enter puts the owner of a grant into the list of live owners.
	enter func(ctx context.Context, l *locker, r *lease)
	// watch makes sure that the worker's reaper looks at the key.
	watch func(l *locker, key string)
}

func reapings() lock.Choice[reaping] {
	return lock.Choice[reaping]{Name: "reaper", Doc: "who deletes locks that look abandoned", Options: []lock.Option[reaping]{
		{Way: lock.Sound("none", "no one"), Value: noReaper()},
		{
			Way:   lock.Flaw("live-list", "every worker, if the owner is not in the list of live owners; an entry is made once and lasts 5 s"),
			Value: reaping{enterLiveList, startReaper},
		},
	}}
}

func noReaper() reaping {
	return reaping{func(context.Context, *locker, *lease) {}, func(*locker, string) {}}
}

const (
	liveTime   = 5 * time.Second // for which an owner stays in the list of live owners
	reapPeriod = time.Second     // between two looks of a reaper
)

// reaper is the task of one worker that looks at one key. It runs as long as the worker
// uses the lock, and for a TTL after that.
type reaper struct {
	asked   atomic.Int64 // the time of the worker's last Acquire, on its monotonic clock
	running atomic.Bool
}

// liveKey returns the key that stands for an owner in the list of live owners.
func liveKey(key, owner string) string { return key + ":live:" + owner }

// enterLiveList enters the owner once. The flaw: the entry may expire before the grant
// ends. The holder does not need the entry, so an error is ignored.
func enterLiveList(ctx context.Context, l *locker, r *lease) {
	_ = l.port.Client.Set(env.WithOp(ctx, "enter"), liveKey(r.key, r.owner), "1", liveTime).Err()
}

// startReaper starts the reaper of the worker, unless it runs.
func startReaper(l *locker, key string) {
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
			_ = l.reapOnce(ctx, key) // after an error it looks again in the next period
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
