package locks

import (
	"context"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredigo "github.com/go-redsync/redsync/v4/redis/redigo"
	"github.com/gomodule/redigo/redis"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// newRedsyncOnRedigo is redsync on a pool of redigo, which dials the simulated server itself.
func newRedsyncOnRedigo(d locktest.Deps) lock.Locker {
	pool := &redis.Pool{MaxIdle: 3, DialContext: func(ctx context.Context) (redis.Conn, error) {
		c, err := d.RedisServers.Dial(ctx, "tcp", d.RedisServers.Addresses[0])
		if err != nil {
			return nil, err
		}
		return redis.NewConn(c, 3*time.Second, 3*time.Second), nil
	}}
	d.AtEnd(func() { _ = pool.Close() })
	rs := redsync.New(redsyncredigo.NewPool(pool))
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		m := rs.NewMutex(key, redsync.WithExpiry(d.TTL), redsync.WithTries(1000))
		return m, m.LockContext(ctx)
	})
}

func TestRedsyncOnRedigoInKleppmannsFailure(t *testing.T) {
	locktest.Run(t, "kleppmann", newRedsyncOnRedigo, locktest.Seeds(5), locktest.Violates("lost-update"))
}

// The reply to an acquire is lost. redigo returns an error, and redsync releases what it may have got.
func TestRedsyncOnRedigoAfterALostReply(t *testing.T) {
	locktest.Run(t, "lost-reply", newRedsyncOnRedigo, locktest.Seeds(5), locktest.Holds("lost-update", "exclusion", "ownership"))
}
