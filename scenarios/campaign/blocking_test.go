package campaign

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// signalLock waits with BLPOP for an element that a release pushes. One that
// forgets deletes the element after the release, so that no stale signal is left. A
// waiter that was refused before the release, and whose BLPOP comes after the
// deletion, then misses its signal.
type signalLock struct {
	lock.Deps
	forgets bool
}

const pushAndDelete = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("del", KEYS[2]) redis.call("lpush", KEYS[2], 1) return redis.call("del", KEYS[1])`

func (l *signalLock) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	owner, signal := fmt.Sprint(l.Env.Rand("owner").Uint64()), key+":signal"
	for {
		won, err := lockredis.PortOf(l.Deps).Client.SetNX(env.WithOp(ctx, "acquire"), key, owner, l.Params.TTL).Result()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		}
		if won {
			return &signalLease{l, ctx, key, owner}, nil
		}
		if err := lockredis.PortOf(l.Deps).Client.BLPop(env.WithOp(ctx, "wait"), l.Params.TTL+time.Second, signal).Err(); err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		}
	}
}

type signalLease struct {
	lock       *signalLock
	ctx        context.Context
	key, owner string
}

func (s *signalLease) Context() context.Context { return s.ctx }
func (s *signalLease) Check() error             { return nil }
func (s *signalLease) Token() int64             { return 0 }

func (s *signalLease) Release(ctx context.Context) error {
	signal := s.key + ":signal"
	n, err := lockredis.PortOf(s.lock.Deps).Client.Eval(env.WithOp(ctx, "release"), pushAndDelete, []string{s.key, signal}, s.owner).Int64()
	if err != nil {
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	if s.lock.forgets {
		if err := lockredis.PortOf(s.lock.Deps).Client.Del(env.WithOp(ctx, "forget"), signal).Err(); err != nil {
			return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		}
	}
	if n == 0 {
		return lock.ErrLost
	}
	return nil
}

// A waiter that misses its signal sleeps beside a free lock until its BLPOP times
// out, a second after the lease of 60 s.
func TestMissedSignalFailsProgress(t *testing.T) {
	entry := func(name string, forgets bool) lock.Entry {
		return lock.Entry{Name: name, Doc: "SETNX, and BLPOP for a signal", New: func(d lock.Deps) lock.Strategy {
			return lock.WithLock(&signalLock{d, forgets})
		}}
	}
	s, err := scenarios.Parse("signal.yaml", []byte(`
name: signal
duration: 10m
workers: 2
sections: 20
workload: {kind: counter, hold: {dist: uniform, min: 1ms, max: 20ms}, think: 30s}
lock: {ttl: 60s}
network: {latency: {dist: lognormal, median: 5ms, p99: 50ms}}
strategies: [keeps, forgets]
checks: [progress, exclusion, lost-update]
`), entry("keeps", false), entry("forgets", true))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 60}})
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range c.Strategies {
		if missed := st.Checks["progress"].Violating > 0; missed != (st.Name == "forgets") {
			t.Errorf("%s: progress is violated in %d of %d runs", st.Name, st.Checks["progress"].Violating, st.Runs)
		}
		if st.Checks["exclusion"].Violating+st.Checks["lost-update"].Violating > 0 || st.Metrics.Untested() != "" {
			t.Errorf("%s excludes nobody, or finishes nothing: %s", st.Name, st.Metrics.Untested())
		}
		for _, f := range st.Failures {
			if r := f.Trial.Results[0]; r.Verdict != checker.Invalid || len(r.Findings) == 0 {
				t.Errorf("%s: no finding in seed %d", st.Name, f.Seed)
			}
		}
	}
}
