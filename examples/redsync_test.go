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

// mutexes returns a function that makes a mutex of redsync, on all servers of the scenario. It waits for the lock as
// long as it takes.
func mutexes(d locktest.Deps) func(key string) *redsync.Mutex {
	var pools []redis.Pool
	for _, node := range d.Nodes {
		pools = append(pools, goredis.NewPool(node))
	}
	rs := redsync.New(pools...)
	return func(key string) *redsync.Mutex {
		return rs.NewMutex(key, redsync.WithExpiry(d.TTL), redsync.WithTries(100_000),
			redsync.WithRetryDelayFunc(func(int) time.Duration { return 125 * time.Millisecond }))
	}
}

// acquire locks a mutex of redsync.
func acquire(ctx context.Context, m *redsync.Mutex) error {
	err := m.LockContext(ctx)
	if _, taken := errors.AsType[*redsync.ErrTaken](err); taken {
		return errors.Join(lock.ErrNotObtained, err)
	}
	return err
}

// newRedsync is redsync as its README uses it.
func newRedsync(d locktest.Deps) lock.Locker {
	mutex := mutexes(d)
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		m := mutex(key)
		return m, acquire(ctx, m)
	})
}

// checked is a mutex whose holder compares its clock with the lease before each write.
type checked struct{ *redsync.Mutex }

// Check returns lock.ErrLost if the lease is over by the clock of the holder.
func (c checked) Check() error {
	if !time.Now().Before(c.Until()) {
		return lock.ErrLost
	}
	return nil
}

func newRedsyncChecked(d locktest.Deps) lock.Locker {
	mutex := mutexes(d)
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		m := mutex(key)
		return checked{m}, acquire(ctx, m)
	})
}

// watched is a mutex that a goroutine extends until it is released or lost. The context of its work ends when it is
// lost.
type watched struct {
	*redsync.Mutex
	ctx  context.Context
	stop context.CancelCauseFunc
}

func newRedsyncWatchdog(d locktest.Deps) lock.Locker {
	mutex := mutexes(d)
	return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
		m := mutex(key)
		if err := acquire(ctx, m); err != nil {
			return nil, err
		}
		held, stop := context.WithCancelCause(ctx)
		go extend(held, stop, m, d.TTL/3)
		return watched{m, held, stop}, nil
	})
}

func extend(ctx context.Context, lost context.CancelCauseFunc, m *redsync.Mutex, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if ok, err := m.ExtendContext(ctx); err != nil || !ok {
				lost(lock.ErrLost)
				return
			}
		}
	}
}

// Context ends when the lock is lost.
func (w watched) Context() context.Context { return w.ctx }

// Release stops the goroutine and releases the lock.
func (w watched) Release(ctx context.Context) error {
	w.stop(nil)
	ok, err := w.UnlockContext(ctx)
	if err == nil && !ok {
		return lock.ErrLost
	}
	return err
}

// A pause right before the write loses an update with redsync alone, with a check of the clock, and with a watchdog.
func TestRedsyncUnderKleppmannsPause(t *testing.T) {
	for _, test := range redsyncs() {
		t.Run(test.name, func(t *testing.T) {
			locktest.Run(t, "kleppmann", test.new, locktest.Seeds(5), locktest.Violates("lost-update"))
		})
	}
}

func redsyncs() []struct {
	name string
	new  func(locktest.Deps) lock.Locker
} {
	return []struct {
		name string
		new  func(locktest.Deps) lock.Locker
	}{{"plain", newRedsync}, {"checked", newRedsyncChecked}, {"watchdog", newRedsyncWatchdog}}
}

// Under random pauses updates are lost.
func TestRedsyncUnderRandomPauses(t *testing.T) {
	locktest.Run(t, "gc-pause", newRedsync, locktest.Seeds(10), locktest.Violates("lost-update"))
}

// A search over all points finds placements of faults under which a watchdog loses an update.
func TestExploreRedsync(t *testing.T) {
	locktest.Explore(t, "kleppmann", newRedsyncWatchdog, locktest.Violates("lost-update"))
}

// On five servers the validity of a lock is checked after the answers, so that a pause during the acquisition does
// no harm.
func TestRedsyncOnFiveServersChecksItsValidity(t *testing.T) {
	locktest.Run(t, "redlock-freeze", newRedsync, locktest.Seeds(5), locktest.Holds("lost-update", "exclusion"))
}

// A pause of its work does harm on five servers too.
func TestRedsyncOnFiveServersUnderRandomPauses(t *testing.T) {
	locktest.Run(t, "gc-pause", newRedsync, locktest.Seeds(10), locktest.Set("servers.nodes", "5"), locktest.Violates("lost-update"))
}

// A failover to a replica that lags gives the lock to two.
func TestRedsyncUnderFailover(t *testing.T) {
	locktest.Run(t, "failover", newRedsync, locktest.Seeds(20), locktest.Violates("exclusion"))
}
