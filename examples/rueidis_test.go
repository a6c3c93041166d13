package locks

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// newOnRueidis is a lease on the client rueidis, which dials the simulated server itself. It compares the owner when it releases.
func newOnRueidis(d locktest.Deps) lock.Locker {
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: d.RedisServers.Addresses, ForceSingleClient: true, AlwaysRESP2: true, DisableCache: true,
		DialCtxFn: func(ctx context.Context, address string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.RedisServers.Dial(ctx, "tcp", address)
		},
	})
	if err != nil {
		panic(err)
	}
	d.AtEnd(client.Close)
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		for ctx.Err() == nil {
			err := client.Do(ctx, client.B().Set().Key(key).Value(d.Worker).Nx().Px(d.TTL).Build()).Error()
			if !rueidis.IsRedisNil(err) {
				return &rueidisLease{client, key, d.Worker}, err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return nil, errors.Join(lock.ErrNotObtained, ctx.Err())
	})
}

var compareAndDelete = rueidis.NewLuaScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

type rueidisLease struct {
	client     rueidis.Client
	key, owner string
}

func (l *rueidisLease) Release(ctx context.Context) (bool, error) {
	deleted, err := compareAndDelete.Exec(ctx, l.client, []string{l.key}, []string{l.owner}).AsInt64()
	return deleted == 1, err
}

func TestALeaseOnRueidisInKleppmannsFailure(t *testing.T) {
	locktest.Run(t, "kleppmann", newOnRueidis, locktest.Seeds(3), locktest.Violates("lost-update"))
}

func TestALeaseOnRueidisWithoutAFault(t *testing.T) {
	locktest.Run(t, "no-fault-needed", newOnRueidis, locktest.Seeds(2), locktest.Set("lock.ttl", "1m"), locktest.Holds("lost-update", "exclusion"))
}
