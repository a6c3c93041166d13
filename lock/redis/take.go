package redis

import (
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// take sends the commands that take a key for ttl, and reports whether the owner got
// it.
type take func(ctx context.Context, client goredis.Cmdable, key, owner string, ttl time.Duration) (bool, error)

func takes() lock.Choice[take] {
	return lock.Choice[take]{Name: "take", Doc: "which commands take the key", Options: []lock.Option[take]{
		{Way: lock.Sound("atomic", "`SET` with `NX` and `PX`"), Value: takeAtomic},
		{Way: lock.Flaw("get-set", "`GET`, then `SET` if the key is missing"), Value: takeGetSet},
		{Way: lock.Flaw("no-expiry", "`SET` with `NX` and no expiry"), Value: takeNoExpiry},
		{Way: lock.Flaw("setnx-expire", "`SETNX`, then `PEXPIRE`"), Value: takeSetNXExpire},
	}}
}

func takeAtomic(ctx context.Context, client goredis.Cmdable, key, owner string, ttl time.Duration) (bool, error) {
	return client.SetNX(ctx, key, owner, ttl).Result()
}

func takeGetSet(ctx context.Context, client goredis.Cmdable, key, owner string, ttl time.Duration) (bool, error) {
	err := client.Get(ctx, key).Err()
	if !errors.Is(err, goredis.Nil) {
		return false, err
	}
	err = client.Set(ctx, key, owner, ttl).Err()
	return err == nil, err
}

func takeNoExpiry(ctx context.Context, client goredis.Cmdable, key, owner string, _ time.Duration) (bool, error) {
	return client.SetNX(ctx, key, owner, 0).Result()
}

func takeSetNXExpire(ctx context.Context, client goredis.Cmdable, key, owner string, ttl time.Duration) (bool, error) {
	won, err := client.SetNX(ctx, key, owner, 0).Result()
	if !won || err != nil {
		return false, err
	}
	return client.PExpire(ctx, key, ttl).Result()
}
