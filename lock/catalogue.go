package lock

import (
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// Deps are what a strategy is built from, for one worker.
type Deps struct {
	Env    env.Env
	Params Params
	// Redis is the client of the lock's Redis server, nil where there is none.
	Redis redis.Cmdable
}

// Entry is a strategy in the catalogue.
type Entry struct {
	Name string
	Doc  string // one line
	// Fence says what the strategy hands to the resource: "none", or "order"
	// for a number that rises with every grant.
	Fence    string
	Defaults Params
	New      func(Deps) Strategy
}

// Fenced reports whether the strategy promises tokens in the order of grants.
func (e Entry) Fenced() bool { return e.Fence == FenceOrder }

// What a strategy hands to the resource.
const (
	FenceNone  = "none"
	FenceOrder = "order"
)

// Catalogue lists the strategies, simplest first.
func Catalogue() []Entry {
	standard := Params{
		TTL:   30 * time.Second,
		Retry: Retry{Attempts: 11, Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond},
	}
	watchdog := standard
	watchdog.TTL, watchdog.MaxHold = 10*time.Second, 10*time.Minute
	return []Entry{
		{
			Name: "none", Fence: FenceNone,
			Doc: "no lock at all: the baseline that every rate is compared with",
			New: func(Deps) Strategy { return unlocked{} },
		},
		{
			Name: "redis", Fence: FenceNone, Defaults: standard,
			Doc: "SET NX PX with a random token, released by compare-and-delete: the standard recipe",
			New: func(d Deps) Strategy { return WithLock(newRedisLocker(d, redisParts{})) },
		},
		{
			Name: "redis-checked", Fence: FenceNone, Defaults: standard,
			Doc: "redis, and the holder looks at its own clock before each write",
			New: func(d Deps) Strategy { return WithLock(newRedisLocker(d, redisParts{checked: true})) },
		},
		{
			Name: "redis-watchdog", Fence: FenceNone, Defaults: watchdog,
			Doc: "redis-checked, and a task renews the lease until the work is done or the lease is lost",
			New: func(d Deps) Strategy {
				return WithLock(newRedisLocker(d, redisParts{checked: true, renewed: true}))
			},
		},
		{
			Name: "redis-fenced", Fence: FenceOrder, Defaults: standard,
			Doc: "redis, and the script that grants the lock counts a fence token up",
			New: func(d Deps) Strategy { return WithLock(newRedisLocker(d, redisParts{fenced: true})) },
		},
	}
}
