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

// newZookeeper makes a lock of go-zookeeper, whose lease is made of the lock.
func newZookeeper(of func(*zk.Lock) locktest.Lease) func(locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		conn, _, err := zk.Connect(d.ZooKeeper.Servers, d.TTL, zk.WithDialer(d.ZooKeeper.Dial), zk.WithLogger(silent{}))
		if err != nil {
			panic(err)
		}
		d.AtEnd(conn.Close)
		return locktest.Locker(func(_ context.Context, key string) (locktest.Lease, error) {
			l := zk.NewLock(conn, "/locks/"+key, zk.WorldACL(zk.PermAll))
			return of(l), l.Lock()
		})
	}
}

// unlockOnce calls Unlock once.
func unlockOnce(l *zk.Lock) locktest.Lease { return l }

// retrying is a lock that is unlocked again after an error of the connection.
type retrying struct{ *zk.Lock }

// unlockAgain calls Unlock until the server has answered.
func unlockAgain(l *zk.Lock) locktest.Lease { return retrying{l} }

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

// Unlock returns an error if the connection is lost. The session goes on, so its znode and the lock stay.
func TestZookeeperUnlockWithoutAConnection(t *testing.T) {
	locktest.Run(t, "zookeeper-leader", newZookeeper(unlockOnce), locktest.Seeds(2), locktest.Violates("progress"))
}

func TestZookeeperUnlockUntilItIsAnswered(t *testing.T) {
	locktest.Run(t, "zookeeper-leader", newZookeeper(unlockAgain), locktest.Seeds(2), locktest.Holds("lost-update", "exclusion", "progress"))
}
