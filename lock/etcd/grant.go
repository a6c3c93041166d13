package etcd

import (
	"context"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// grant is a key in the queue of a lock, and the lock when it is its turn.
type grant struct {
	*session
	lock    string
	key     string
	created int64 // revision
	granted bool  // fewer keys than permits were before it when it was put
}

// Context implements lock.Lease.
func (g *grant) Context() context.Context { return g.ctx }

// Token implements lock.Lease.
func (g *grant) Token() int64 {
	if !g.locker.fenced {
		return 0
	}
	return g.created
}

// Check implements lock.Lease.
func (g *grant) Check() error { return g.locker.check(g.ctx, g.lock, g.left()) }

// Release implements lock.Lease. It deletes the key, and then revokes the lease. The revocation of a
// lease is certain even if the answer to the deletion was lost.
func (g *grant) Release(ctx context.Context) error {
	if err := g.endRenewal(ctx); err != nil {
		return fmt.Errorf("release %s: %w: %w", g.lock, lock.ErrUnknown, err)
	}
	own := Keys{Key: g.key}
	answer, err := g.locker.client.Do(env.WithOp(ctx, "release"), &Txn{
		If: []Compare{{Keys: own, Field: ByCreate, Is: Equal, Number: g.created}}, Then: []Request{&Delete{Keys: own}},
	})
	_, ended := g.revoke(ctx)
	switch {
	case err != nil && !ended:
		return fmt.Errorf("release %s: %w: %w", g.lock, lock.ErrUnknown, err)
	case err == nil && !answer.Succeeded:
		return fmt.Errorf("release %s: %w: its key is gone", g.lock, lock.ErrLost)
	}
	return nil
}
