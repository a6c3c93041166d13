package scenarios_test

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// myLock is a lock as one finds it: it looks whether the key is free, and then
// takes it. That is two commands, and another worker fits between them.
type myLock struct {
	env   env.Env
	redis redis.Cmdable
}

func (l *myLock) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	for {
		held, err := l.redis.Exists(ctx, key).Result()
		if err == nil && held == 0 {
			return &myLease{l, ctx, key}, l.redis.Set(ctx, key, "taken", 10*time.Second).Err()
		}
		if err := l.env.Sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

type myLease struct {
	lock *myLock
	ctx  context.Context
	key  string
}

func (l *myLease) Context() context.Context { return l.ctx }
func (l *myLease) Check() error             { return nil }
func (l *myLease) Token() int64             { return 0 }
func (l *myLease) Release(ctx context.Context) error {
	return l.lock.redis.Del(ctx, l.key).Err()
}

// A lock of one's own enters a scenario without being part of lockquake. No
// fault is needed to find the flaw of this one.
func ExampleParse_ownStrategy() {
	mine := lock.Entry{Name: "mine", Doc: "looks, then takes", New: func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&myLock{env: d.Env, redis: lockredis.PortOf(d).Client})
	}}
	scenario, err := scenarios.Parse("mine.yaml", []byte(`
name: mine
duration: 5s
seeds: 20
workers: 4
workload: {kind: counter, hold: {dist: uniform, min: 5ms, max: 50ms}, think: 20ms}
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
strategies: [mine]
checks: [lost-update, exclusion]
`), mine)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := campaign.Run(context.Background(), scenario, campaign.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Summary())
	fmt.Println(result.Strategies[0].Failures[0].Trial.Results[0].Findings[0].Text)
	// Output:
	// not expected: mine violated lost-update, exclusion in 20 of 20 runs
	// lost update: worker-1's section 1 saw 0 of item resource-1 and wrote 1 over 1, the work of worker-3's section 1 (wrote 1)
}
