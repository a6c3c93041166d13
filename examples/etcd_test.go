package locks

import (
	"context"
	"errors"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/lock/locktest/etcdclient"
)

// newEtcdClient is the official client of etcd.
func newEtcdClient(d locktest.Deps) *clientv3.Client {
	client, err := etcdclient.New(d)
	if err != nil {
		panic(err)
	}
	return client
}

// etcdMutex is a mutex of etcd's concurrency package with a session of its own.
type etcdMutex struct {
	*concurrency.Mutex
	session *concurrency.Session
}

// lockEtcd begins a session and locks a mutex in it.
func lockEtcd(ctx context.Context, client *clientv3.Client, key string, d locktest.Deps) (etcdMutex, error) {
	session, err := concurrency.NewSession(client, concurrency.WithTTL(int(d.TTL.Seconds())))
	if err != nil {
		return etcdMutex{}, err
	}
	m := etcdMutex{concurrency.NewMutex(session, key), session}
	if err := m.Lock(ctx); err != nil {
		return m, errors.Join(err, session.Close())
	}
	return m, nil
}

// Release unlocks the mutex and ends the session.
func (m etcdMutex) Release(ctx context.Context) error {
	return errors.Join(m.Unlock(ctx), m.session.Close())
}

// newEtcd makes a lock whose lease is made of a mutex.
func newEtcd(of func(etcdMutex) locktest.Lease) func(locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		client := newEtcdClient(d)
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			m, err := lockEtcd(ctx, client, key, d)
			return of(m), err
		})
	}
}

// etcdAlone is the mutex alone: nothing tells the work that the session is over.
func etcdAlone(m etcdMutex) locktest.Lease { return m }

// etcdWatched is a mutex whose work ends with the session.
type etcdWatched struct{ etcdMutex }

func watchEtcd(m etcdMutex) locktest.Lease { return etcdWatched{m} }

// Context ends when Session.Done is closed.
func (w etcdWatched) Context() context.Context { return w.session.Ctx() }

// etcdFenced is a mutex whose revision is the fencing token.
type etcdFenced struct{ etcdMutex }

func fenceEtcd(m etcdMutex) locktest.Lease { return etcdFenced{m} }

// Token is the revision of the store when the mutex was locked.
func (f etcdFenced) Token() int64 { return f.Header().Revision }

// A pause right before the write loses an update, unless the resource checks the revision.
func TestEtcdUnderAPause(t *testing.T) {
	locktest.Run(t, "etcd-pause", newEtcd(etcdAlone), locktest.Seeds(3), locktest.Violates("lost-update", "exclusion"))
}

func TestEtcdWithAFenceUnderAPause(t *testing.T) {
	locktest.Run(t, "etcd-pause", newEtcd(fenceEtcd), locktest.Seeds(3), locktest.Set("resource.fence", "reads-writes"),
		locktest.Holds("linearizable", "lost-update", "exclusion", "fencing"))
}

// A leader that changes takes the lock from nobody.
func TestEtcdWhileTheLeaderChanges(t *testing.T) {
	locktest.Run(t, "etcd-leader-change", newEtcd(watchEtcd), locktest.Seeds(2), locktest.Holds("linearizable", "lost-update", "exclusion", "ownership"))
}

// A member that cannot reach the others delays requests, and gives no lock away twice.
func TestEtcdWithAMemberThatIsCutOff(t *testing.T) {
	locktest.Run(t, "etcd-member-cut-off", newEtcd(watchEtcd), locktest.Seeds(2), locktest.Holds("linearizable", "lost-update", "exclusion"))
}

// A waiter whose lease ends in the queue does not enter. It learns of it when its turn would come.
func TestEtcdChecksTheSessionOfAWaiter(t *testing.T) {
	expired := 0
	locktest.Run(t, "testdata/etcd-queue.yaml", func(d locktest.Deps) lock.Locker {
		client := newEtcdClient(d)
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			m, err := lockEtcd(ctx, client, key, d)
			if errors.Is(err, concurrency.ErrSessionExpired) {
				expired++
			}
			return m, err
		})
	}, locktest.OneProcess(), locktest.Holds("lost-update", "exclusion"))
	if expired == 0 {
		t.Error("no waiter was told that its session is over")
	}
}

// Among all faults at all points of a small run there are some under which the mutex alone loses an update.
func TestExploreEtcd(t *testing.T) {
	locktest.Explore(t, "etcd-pause", newEtcd(etcdAlone), locktest.Set("duration", "3s"), locktest.Violates("lost-update"))
}
