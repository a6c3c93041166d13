package campaign

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
)

// ownLock is the recipe of one Redis, but for what a test puts in its place.
type ownLock struct {
	deps  lock.Deps
	calls int
	owner string
	// gaveUp is called by an acquire that has the key after its caller gave up.
	gaveUp func(ctx context.Context, l *ownLock, key string) error
	// before is called before each acquire, with the number of the call.
	before func(n int) error
}

func (l *ownLock) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	l.calls++
	if l.before != nil {
		if err := l.before(l.calls); err != nil {
			return nil, err
		}
	}
	for {
		l.owner = fmt.Sprintf("%s-%d-%d", l.deps.Instance, l.calls, l.deps.Env.Mono())
		won, err := lockredis.PortOf(l.deps).Client.SetNX(env.WithOp(ctx, "acquire"), key, l.owner, l.deps.Params.TTL).Result()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: %w", lock.ErrUnknown, errors.Join(err, l.free(context.WithoutCancel(ctx), key)))
		case won && ctx.Err() != nil:
			return nil, l.gaveUp(ctx, l, key)
		case won:
			return ownLease{l, ctx, key}, nil
		}
		if err := l.deps.Env.Sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// free gives the key back if it is the lock's own.
func (l *ownLock) free(ctx context.Context, key string) error {
	const script = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	n, err := lockredis.PortOf(l.deps).Client.Eval(env.WithOp(ctx, "release"), script, []string{key}, l.owner).Int64()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	case n == 0:
		return lock.ErrLost
	}
	return nil
}

type ownLease struct {
	lock *ownLock
	ctx  context.Context
	key  string
}

func (l ownLease) Context() context.Context          { return l.ctx }
func (l ownLease) Check() error                      { return nil }
func (l ownLease) Token() int64                      { return 0 }
func (l ownLease) Release(ctx context.Context) error { return l.lock.free(ctx, l.key) }

// ownLocks are a lock that undoes what its caller gave up, and its flaws.
func ownLocks() []lock.Entry {
	undo := func(ctx context.Context, l *ownLock, key string) error {
		return errors.Join(context.Cause(ctx), l.free(context.WithoutCancel(ctx), key))
	}
	forget := func(ctx context.Context, _ *ownLock, _ string) error { return context.Cause(ctx) }
	after := func(calls int, err error) func(int) error {
		return func(n int) error {
			if n <= calls {
				return nil
			}
			return err
		}
	}
	var entries []lock.Entry
	for _, e := range []struct {
		name   string
		gaveUp func(context.Context, *ownLock, string) error
		before func(int) error
	}{
		{"own", undo, nil},
		{"own-forgets", forget, nil},
		{"own-shuts", undo, after(2, lock.ErrNotObtained)},
		{"own-breaks", undo, after(2, errors.New("no such script"))},
		{"own-never-works", undo, after(0, errors.New("no such script"))},
		{"own-never-knows", undo, after(0, lock.ErrUnknown)},
	} {
		entries = append(entries, lock.Entry{Name: e.name, New: func(d lock.Deps) lock.Strategy {
			return lock.WithLock(&ownLock{deps: d, gaveUp: e.gaveUp, before: e.before})
		}})
	}
	return entries
}

// A lock of one's own is held to the answers that it gives while the lock is free,
// and to what it leaves behind when its caller gives up.
func TestFreeLocksMustBeGranted(t *testing.T) {
	text := func(name, rest string) *scenarios.Scenario {
		s, err := scenarios.Parse("own.yaml", fmt.Appendf(nil, `name: own
strategies: [%s]
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
workload: {kind: counter, hold: 100ms, think: 500ms}
lock: {ttl: 5s}
checks: %s
%s`, name, serviceChecks, rest), ownLocks()...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const (
		quiet   = "workers: 1\nduration: 2m\n"
		busy    = "workers: 2\nduration: 3m\n"
		cancels = "workers: 2\nduration: 30s\neach: [{worker: worker-2, start: 200ms}]\n" +
			"faults: [{when: {worker: worker-1, point: acquire.sent}, cancel: {}}]\n"
	)
	for _, test := range []struct{ check, flawed, rest string }{
		{"recovery", "own-forgets", cancels},
		{"errors", "own-shuts", quiet},
		{"progress", "own-shuts", quiet},
		{"progress", "own-shuts", busy},
		{"progress", "own-breaks", busy},
		{"progress", "own-never-works", quiet},
		{"progress", "own-never-knows", busy},
	} {
		t.Run(test.flawed+"/"+test.check, func(t *testing.T) {
			const seeds = 10
			clean(t, text("own", test.rest), seeds)
			runs, texts := violations(t, text(test.flawed, test.rest), seeds)
			t.Logf("violated in %v of %d runs, %v", runs, seeds, texts)
			if runs[test.check] != seeds {
				t.Errorf("%s is violated in %d of %d runs", test.check, runs[test.check], seeds)
			}
		})
	}
}
