package locks

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bsm/redislock"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// newRedislock is bsm/redislock with a linear backoff.
func newRedislock(d locktest.Deps) lock.Locker {
	client := redislock.New(d.Redis)
	options := &redislock.Options{RetryStrategy: redislock.LinearBackoff(125 * time.Millisecond)}
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		l, err := client.Obtain(ctx, key, d.TTL, options)
		if errors.Is(err, redislock.ErrNotObtained) {
			return nil, errors.Join(lock.ErrNotObtained, err)
		}
		return l, err
	})
}

func TestRedislockUnderRandomPauses(t *testing.T) {
	locktest.Run(t, "gc-pause", newRedislock, locktest.Seeds(10), locktest.Violates("lost-update"))
}

// Without a deadline of its own, Obtain gives up after one TTL. In kleppmann the second worker gives up before the
// lease ends, so no update is lost.
func TestRedislockGivesUpAfterATTL(t *testing.T) {
	locktest.Run(t, "kleppmann", newRedislock, locktest.Seeds(5), locktest.Holds("lost-update"))
}
