package locks

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// newRedsync makes a lock of redsync on all servers of the scenario, which waits as long as it takes.
func newRedsync(d locktest.Deps) lock.Locker {
	var pools []redis.Pool
	for _, node := range d.Nodes {
		pools = append(pools, goredis.NewPool(node))
	}
	rs := redsync.New(pools...)
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		m := rs.NewMutex(key, redsync.WithExpiry(d.TTL), redsync.WithTries(100_000),
			redsync.WithRetryDelayFunc(func(int) time.Duration { return 125 * time.Millisecond }))
		err := m.LockContext(ctx)
		if _, taken := errors.AsType[*redsync.ErrTaken](err); taken {
			err = errors.Join(lock.ErrNotObtained, err)
		}
		return m, err
	})
}

func TestRedsyncLosesUpdates(t *testing.T) {
	locktest.Run(t, "gc-pause", newRedsync, locktest.Seeds(20), locktest.Violates("lost-update"))
}

func TestRedsyncKleppmann(t *testing.T) {
	locktest.Run(t, "kleppmann", newRedsync, locktest.Seeds(1))
}
