package command

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"time"

	"lockquake/lock"
	lockredis "lockquake/lock/redis"
)

// badlocks is a program with locks that do not use their Env, but the real clock, goroutines
// and the like. LOCK gives one of them another name.
func badlocks() {
	Main(
		WithStrategy(cmp.Or(os.Getenv("LOCK"), "drifts"), "sleeps for as long as the global source says", bad(func(d lock.Deps) {
			_ = d.Env.Sleep(context.Background(), rand.N(time.Second))
		})),
		WithStrategy("panics", "panics", bad(func(lock.Deps) { panic("my own bug") })),
		WithStrategy("panics-later", "panics in some runs, and not in that of seed 1", bad(func(d lock.Deps) {
			if d.Env.Rand("luck").IntN(10) == 0 {
				panic("my own bug")
			}
		})),
		WithStrategy("panics-on-errors", "panics if its server answers with an error", bad(func(d lock.Deps) {
			if err := lockredis.PortOf(d).Nodes[0].SetNX(context.Background(), "resource-1", "me", time.Second).Err(); err != nil {
				panic(err)
			}
		})),
		WithStrategy("real-clock", "does what the time of day says", bad(func(d lock.Deps) {
			time.Sleep(time.Millisecond)
			_ = d.Env.Sleep(context.Background(), time.Duration(time.Now().Nanosecond()))
		})),
		WithStrategy("goroutines", "asks each server on a goroutine of its own, as unmodified libraries do", bad(func(d lock.Deps) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			answers := make(chan error)
			for _, node := range lockredis.PortOf(d).Nodes {
				go func() { answers <- node.SetNX(ctx, "resource-1", "me", time.Second).Err() }()
			}
			for range lockredis.PortOf(d).Nodes {
				<-answers
			}
		})),
		WithStrategy("own-context", "waits under a context of package context", bad(func(d lock.Deps) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_ = d.Env.Sleep(ctx, time.Second)
		})),
		WithStrategy("waits", "waits for what never comes", bad(func(lock.Deps) { <-make(chan struct{}) })),
	)
}

// badLock calls a function, and is never obtained.
type badLock struct {
	deps lock.Deps
	do   func(lock.Deps)
}

func bad(do func(lock.Deps)) func(lock.Deps) lock.Strategy {
	return func(d lock.Deps) lock.Strategy { return badLock{d, do} }
}

func (b badLock) Do(context.Context, string, lock.Resource, lock.Body) error {
	b.do(b.deps)
	return lock.ErrNotObtained
}
