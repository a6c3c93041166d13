package locktest

import (
	"context"
	"testing"

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
			if err := release.Run(ctx, d.Redis, []string{"x"}, "y").Err(); err != nil {
				t.Errorf("a script returns %v", err)
			}
			return newSetNX(d).Acquire(ctx, key)
		})
	}, Seeds(1), Set("lock.ttl", "1m"), Holds("lost-update"))
}
