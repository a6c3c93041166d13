package locks

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockquake/lock"
	"lockquake/lock/locktest"
	"lockquake/lock/locktest/etcdclient"
)

// The tests of this file show what docs/failures.md states of public libraries. Each runs the library under the
// condition, and without it or with a remedy.

// noFaults removes the faults of a scenario.
func noFaults() locktest.Option { return locktest.Set("faults", "[]") }

// Session.Done is closed up to a second after the client's view of the lease has ended, and the client counts the TTL from
// the answer to a renewal. If the holder is cut off from etcd, another session has the lock first.
func TestEtcdDoneComesLate(t *testing.T) {
	locktest.Run(t, "testdata/etcd-late-done.yaml", newEtcd(watchEtcd), locktest.Violates("exclusion"))
}

func TestEtcdDoneOfASessionThatIsNotCutOff(t *testing.T) {
	locktest.Run(t, "testdata/etcd-late-done.yaml", newEtcd(watchEtcd), noFaults(), locktest.Holds("lost-update", "exclusion"))
}

// doneWithoutAFirstRenewal runs a scenario in which the first renewal of worker-1's session gets no answer. The TTL is 2 s. It
// returns the times after which Session.Done is closed, one for each run.
func doneWithoutAFirstRenewal(t *testing.T, dialTimeout time.Duration, expected locktest.Option) (after []time.Duration) {
	t.Helper()
	locktest.Run(t, "testdata/etcd-first-renewal.yaml", func(d locktest.Deps) lock.Locker {
		client, err := etcdclient.New(d, func(c *clientv3.Config) { c.DialTimeout = dialTimeout })
		if err != nil {
			panic(err)
		}
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			m, err := lockEtcd(ctx, client, key, d)
			if err == nil && d.Worker == "worker-1" {
				locked := time.Now()
				go func() {
					<-m.session.Done()
					after = append(after, time.Since(locked))
				}()
			}
			return etcdWatched{m}, err
		})
	}, locktest.OneProcess(), expected)
	return after
}

// within fails the test unless all times are between two others, and there is one.
func within(t *testing.T, times []time.Duration, least, most time.Duration) {
	t.Helper()
	if len(times) == 0 || slices.Min(times) < least || slices.Max(times) > most {
		t.Errorf("%v, want times from %v to %v", times, least, most)
	}
}

// tick is how often the client of etcd looks whether a session has ended.
const tick = time.Second

// If the answer to the first renewal does not come, Session.Done is closed after 5 to 6 s, or 1 to 2 s after the
// DialTimeout of the client, and not after the TTL.
func TestEtcdDoneWithoutAFirstRenewal(t *testing.T) {
	after := doneWithoutAFirstRenewal(t, 0, locktest.Violates("lost-update", "exclusion"))
	within(t, after, 4900*time.Millisecond, 5*time.Second+tick)
}

func TestEtcdDoneWithAShortDialTimeout(t *testing.T) {
	after := doneWithoutAFirstRenewal(t, 100*time.Millisecond, locktest.Holds("lost-update", "exclusion"))
	within(t, after, time.Second, 1100*time.Millisecond+tick)
}

// oneSession is a session that the workers of a process share.
type oneSession struct {
	client  *clientv3.Client
	turn    chan struct{}
	session *concurrency.Session
}

func (o *oneSession) get() (*concurrency.Session, error) {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	if o.session == nil {
		session, err := concurrency.NewSession(o.client)
		if err != nil {
			return nil, err
		}
		o.session = session
	}
	return o.session, nil
}

// Two mutexes with the same key in one session do not exclude each other, even if nothing fails.
func TestEtcdMutexesOfOneSession(t *testing.T) {
	locktest.Run(t, "testdata/etcd-one-process.yaml", func(d locktest.Deps) lock.Locker {
		of := lock.Shared(d.Process, "session", func() *oneSession {
			return &oneSession{client: newEtcdClient(d), turn: make(chan struct{}, 1)}
		})
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			session, err := of.get()
			if err != nil {
				return nil, err
			}
			m := concurrency.NewMutex(session, key)
			return m, m.Lock(ctx)
		})
	}, locktest.Violates("lost-update", "exclusion"))
}

func TestEtcdMutexesOfSeveralSessions(t *testing.T) {
	locktest.Run(t, "testdata/etcd-one-process.yaml", newEtcd(etcdAlone), locktest.Holds("linearizable", "lost-update", "exclusion"))
}

// longestLock runs a scenario whose second worker waits for the lock with a timeout of 2 s. It returns the longest
// duration of a call of Lock.
func longestLock(t *testing.T, options ...locktest.Option) (longest time.Duration) {
	t.Helper()
	locktest.Run(t, "testdata/etcd-waiter-cut-off.yaml", func(d locktest.Deps) lock.Locker {
		client := newEtcdClient(d)
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			session, err := concurrency.NewSession(client, concurrency.WithTTL(60))
			if err != nil {
				return nil, err
			}
			m := concurrency.NewMutex(session, key)
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			began := time.Now()
			err = m.Lock(ctx)
			longest = max(longest, time.Since(began))
			return m, err
		})
	}, append(options, locktest.OneProcess(), locktest.Holds("exclusion"))...)
	return longest
}

// A call of Lock whose context has ended returns only when etcd is in reach again: it deletes its key with the context of
// the client.
func TestEtcdLockOutlivesItsContext(t *testing.T) {
	if got := longestLock(t); got < 29*time.Second {
		t.Errorf("Lock returned after %v, within the 30.5 s in which etcd was out of reach", got)
	}
}

func TestEtcdLockEndsWithItsContext(t *testing.T) {
	if got := longestLock(t, noFaults()); got > 2100*time.Millisecond {
		t.Errorf("Lock with a timeout of 2 s returned after %v", got)
	}
}

// etcdUnlock is a mutex whose holder heeds the answer of Unlock alone.
type etcdUnlock struct{ etcdMutex }

// Release unlocks the mutex.
func (m etcdUnlock) Release(ctx context.Context) error {
	err := m.Unlock(ctx)
	_ = m.session.Close()
	return err
}

// Unlock returns no error if the session is over and another one has had the lock.
func TestEtcdUnlockOfALostMutex(t *testing.T) {
	locktest.Run(t, "etcd-pause", newEtcd(func(m etcdMutex) locktest.Lease { return etcdUnlock{m} }), locktest.Seeds(3), locktest.Violates("told"))
}

// etcdOwned is a mutex that is unlocked by a transaction with IsOwner.
type etcdOwned struct{ etcdMutex }

// Release deletes the key of the mutex if it is still that of the holder.
func (m etcdOwned) Release(ctx context.Context) error {
	answer, err := m.session.Client().Txn(ctx).If(m.IsOwner()).Then(clientv3.OpDelete(m.Key())).Commit()
	_ = m.session.Close()
	if err == nil && !answer.Succeeded {
		return lock.ErrLost
	}
	return err
}

func TestEtcdUnlockOfALostMutexByItsOwner(t *testing.T) {
	locktest.Run(t, "etcd-pause", newEtcd(func(m etcdMutex) locktest.Lease { return etcdOwned{m} }), locktest.Seeds(3), locktest.Holds("told"))
}

// newRedsyncExtended is redsync with a goroutine that extends the lock each second.
func newRedsyncExtended(options ...redsync.Option) func(d locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		rs := redsync.New(goredis.NewPool(d.Redis))
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			m := rs.NewMutex(key, append(options, redsync.WithExpiry(d.TTL), redsync.WithTries(1000))...)
			if err := acquire(ctx, m); err != nil {
				return nil, err
			}
			held, stop := context.WithCancelCause(ctx)
			go extend(held, stop, m, time.Second)
			return watched{m, held, stop}, nil
		})
	}
}

// With WithSetNXOnExtend an extension takes the lock again if it is free. The holder does not learn that another one has had
// it.
func TestRedsyncExtendSetsALostLockAgain(t *testing.T) {
	locktest.Run(t, "testdata/redis-loses-key.yaml", newRedsyncExtended(redsync.WithSetNXOnExtend()), locktest.Violates("lost-update"))
}

func TestRedsyncExtendOfALostLock(t *testing.T) {
	locktest.Run(t, "testdata/redis-loses-key.yaml", newRedsyncExtended(), locktest.Holds("lost-update"))
}

// refreshed is a lock of redislock that a goroutine refreshes.
type refreshed struct {
	*redislock.Lock
	stop context.CancelFunc
}

// Release stops the goroutine and releases the lock.
func (r refreshed) Release(ctx context.Context) error {
	r.stop()
	return r.Lock.Release(ctx)
}

// obtain runs a scenario whose first worker holds the lock for 20 s, and refreshes it. It returns the errors of Obtain, and
// how long the calls took that failed. The deadline is that of Obtain; 0 for none.
func obtain(t *testing.T, deadline time.Duration) (failures []error, took []time.Duration) {
	t.Helper()
	locktest.Run(t, "testdata/long-hold.yaml", func(d locktest.Deps) lock.Locker {
		client := redislock.New(d.Redis)
		options := &redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)}
		return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
			waiting := ctx
			if deadline > 0 {
				var cancel context.CancelFunc
				waiting, cancel = context.WithTimeout(ctx, deadline)
				defer cancel()
			}
			began := time.Now()
			l, err := client.Obtain(waiting, key, d.TTL, options)
			if err != nil {
				failures, took = append(failures, err), append(took, time.Since(began))
				return nil, errors.Join(lock.ErrNotObtained, err)
			}
			held, stop := context.WithCancel(ctx)
			go func() {
				ticker := time.NewTicker(d.TTL / 3)
				defer ticker.Stop()
				for {
					select {
					case <-held.Done():
						return
					case <-ticker.C:
						_ = l.Refresh(held, d.TTL, nil)
					}
				}
			}()
			return refreshed{l, stop}, nil
		})
	}, locktest.OneProcess(), locktest.Holds("lost-update", "exclusion"))
	return failures, took
}

// Without a deadline Obtain gives up after one TTL although it has a retry strategy, and its error is not
// ErrNotObtained.
func TestRedislockGivesUpAfterATTLOfAnother(t *testing.T) {
	failures, took := obtain(t, 0)
	const ttl, backoff = 2 * time.Second, 100 * time.Millisecond
	within(t, took, ttl-backoff, ttl+backoff)
	for _, err := range failures {
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, redislock.ErrNotObtained) {
			t.Errorf("Obtain returned %v", err)
		}
	}
}

func TestRedislockWaitsUntilItsDeadline(t *testing.T) {
	if failures, took := obtain(t, time.Minute); len(failures) > 0 {
		t.Errorf("Obtain returned %v after %v", failures, took)
	}
}

// pooledJobs locks and unlocks on a pool, each with a session of the pool's choice.
type pooledJobs struct{ db *sql.DB }

func (j pooledJobs) exclusively(ctx context.Context, name string, f func(ctx context.Context) error) error {
	key := keyOf(name)
	if _, err := j.db.ExecContext(ctx, "select pg_advisory_lock($1)", key); err != nil {
		return err
	}
	err := f(ctx)
	_, unlockErr := j.db.ExecContext(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", key)
	return errors.Join(err, unlockErr)
}

// onPool makes a service that locks on a pool, and changes the pool before.
func onPool(change func(db *sql.DB)) func(locktest.Deps) func(context.Context, string, locktest.Work) error {
	return func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
		change(d.DB)
		service := pooledJobs{d.DB}
		return func(ctx context.Context, key string, work locktest.Work) error {
			return service.exclusively(ctx, key, func(ctx context.Context) error { return work(ctx, 0) })
		}
	}
}

// onConn makes the service of TestAdvisoryLocksOfAKilledSession, which locks on one connection, and changes the pool before.
func onConn(change func(db *sql.DB)) func(locktest.Deps) func(context.Context, string, locktest.Work) error {
	return func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
		change(d.DB)
		return newJobs(d)
	}
}

// shortLived lets a pool close connections that are older than the work takes.
func shortLived(db *sql.DB) { db.SetConnMaxLifetime(100 * time.Millisecond) }

// A pool that closes the session of a lock while the work goes on gives the lock to others.
func TestAdvisoryLockOnAPoolThatClosesItsSession(t *testing.T) {
	locktest.Do(t, "testdata/advisory.yaml", onPool(shortLived), locktest.Violates("lost-update", "exclusion"))
}

func TestAdvisoryLockOnAConnectionOfSuchAPool(t *testing.T) {
	locktest.Do(t, "testdata/advisory.yaml", onConn(shortLived), locktest.Holds("lost-update", "exclusion"))
}

// busy uses the pool of a service for 10 s.
func busy(db *sql.DB) {
	go func() {
		for range 200 {
			time.Sleep(50 * time.Millisecond)
			if _, err := db.Exec("select 1"); err != nil {
				return
			}
		}
	}()
}

// If other statements use the pool at the same time, the unlock comes to another session, and the lock stays.
func TestAdvisoryUnlockInAnotherSession(t *testing.T) {
	locktest.Do(t, "testdata/advisory.yaml", onPool(busy), locktest.Violates("progress"))
}

func TestAdvisoryUnlockInTheSameSession(t *testing.T) {
	locktest.Do(t, "testdata/advisory.yaml", onConn(busy), locktest.Holds("progress"))
}
