package locktest

import (
	"context"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// A library may compare an error with == redis.Nil.
func TestErrorsOfRedisReachTheLibraryAsTheyAre(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			if err := d.Redis.Get(ctx, "missing").Err(); err != goredis.Nil { //nolint:errorlint // as libraries do
				t.Errorf("a missing key is %v", err)
			}
			_, err := d.Redis.Pipelined(ctx, func(p goredis.Pipeliner) error { return p.Get(ctx, "missing").Err() })
			if err != goredis.Nil { //nolint:errorlint // as libraries do
				t.Errorf("in a pipeline a missing key is %v", err)
			}
			if err := release.Run(ctx, d.Redis, []string{"x"}, "y").Err(); err != nil {
				t.Errorf("a script returns %v", err)
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}

// The context ends 300 us after the command has left, which takes longer. It is for the race detector.
func TestTheContextOfACommandEndsWhileItIsUnderWay(t *testing.T) {
	Run(t, "no-fault-needed", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			short, stop := context.WithTimeout(ctx, 300*time.Microsecond)
			defer stop()
			if err := d.Redis.Get(short, "missing").Err(); err != goredis.Nil || short.Err() == nil { //nolint:errorlint // as libraries do
				t.Errorf("the command returns %v, and its context has the error %v", err, short.Err())
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}
