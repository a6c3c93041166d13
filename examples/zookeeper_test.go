package locks

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockquake/lock"
	"lockquake/lock/locktest"
)

// silent drops the messages of the client.
type silent struct{}

// Printf implements zk.Logger.
func (silent) Printf(string, ...any) {}

// newZookeeper makes a lock of go-zookeeper. Its lease is made of the lock, and of a context that ends when the connection is lost after
// the lock was asked for.
func newZookeeper(of func(context.Context, *zk.Lock) locktest.Lease) func(locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		stop := func() {}
		changed := func(e zk.Event) {
			if e.State == zk.StateDisconnected {
				stop()
			}
		}
		conn, _, err := zk.Connect(d.ZooKeeper.Servers, d.TTL, zk.WithDialer(d.ZooKeeper.Dial), zk.WithLogger(silent{}), zk.WithEventCallback(changed))
		if err != nil {
			panic(err)
		}
		d.AtEnd(conn.Close)
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			l := zk.NewLock(conn, "/locks/"+key, zk.WorldACL(zk.PermAll))
			ctx, stop = context.WithCancel(ctx)
			return of(ctx, l), l.Lock()
		})
	}
}

// unlockOnce calls Unlock once.
func unlockOnce(_ context.Context, l *zk.Lock) locktest.Lease { return l }

// connected is a lock whose work ends when the connection is lost.
type connected struct {
	*zk.Lock
	ctx context.Context
}

// Context implements locktest.Lease.
func (c connected) Context() context.Context { return c.ctx }

// whileConnected lets the work end when the connection is lost.
func whileConnected(ctx context.Context, l *zk.Lock) locktest.Lease { return connected{l, ctx} }

// retrying is a lock that is unlocked again after an error of the connection.
type retrying struct{ *zk.Lock }

// unlockAgain calls Unlock until the server has answered.
func unlockAgain(_ context.Context, l *zk.Lock) locktest.Lease { return retrying{l} }

// Unlock unlocks the lock. If its znode is gone, an earlier call has deleted it.
func (r retrying) Unlock() error {
	err := r.Lock.Unlock()
	for errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) {
		time.Sleep(time.Second)
		if err = r.Lock.Unlock(); errors.Is(err, zk.ErrNoNode) {
			return nil
		}
	}
	return err
}

func TestZookeeperLockOfAPausedHolder(t *testing.T) {
	locktest.Run(t, "zookeeper-pause", newZookeeper(unlockOnce), locktest.Seeds(3), locktest.Violates("lost-update", "exclusion"))
}

// The session of a holder without a connection expires. A holder that heeds the loss of the connection stops in time.
func TestZookeeperHolderWithoutAConnection(t *testing.T) {
	locktest.Run(t, "zookeeper-suspended", newZookeeper(unlockOnce), locktest.Seeds(2), locktest.Violates("lost-update", "exclusion"))
}

func TestZookeeperHolderThatHeedsTheConnection(t *testing.T) {
	locktest.Run(t, "zookeeper-suspended", newZookeeper(whileConnected), locktest.Seeds(2), locktest.Holds("lost-update", "exclusion"))
}

// Unlock returns an error if the connection is lost. The session goes on, so its znode and the lock stay.
func TestZookeeperUnlockWithoutAConnection(t *testing.T) {
	locktest.Run(t, "zookeeper-leader", newZookeeper(unlockOnce), locktest.Seeds(2), locktest.Violates("progress"))
}

func TestZookeeperUnlockUntilItIsAnswered(t *testing.T) {
	locktest.Run(t, "zookeeper-leader", newZookeeper(unlockAgain), locktest.Seeds(2), locktest.Holds("lost-update", "exclusion", "progress"))
}
