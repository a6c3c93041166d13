package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// locker puts keys into the queue of a lock.
type locker struct {
	env    env.Env
	client Client
	params lock.Params
	mode   mode

	check    lock.LeaseCheck
	fenced   bool
	renews   bool
	rechecks bool
}

// mode has the name of an owner's key, and the keys that the owner waits for.
type mode struct {
	name    string // the beginning of the last part of the key
	behind  string // the beginning of the keys that it waits for, if they are before its own
	permits int    // it waits until fewer such keys are before its own
}

// The modes. A reader waits for the writers before it, and a writer for all owners before it.
func exclusive() mode      { return mode{permits: 1} }
func writing() mode        { return mode{name: writeKey, permits: 1} }
func reading() mode        { return mode{name: SharedKey, behind: writeKey, permits: 1} }
func permitted(n int) mode { return mode{permits: n} }

const (
	prefix   = "locks/"
	writeKey = "write-"
)

// recordOf returns the prefix of the keys of a lock.
func recordOf(key string) string { return prefix + key + "/" }

// newLock makes a strategy.
func newLock(d lock.Deps) lock.Strategy {
	recipe := lock.Recipe{Refused: lock.Refusals().In(d.Params), Locker: newLocker(d, exclusive())}
	if readers().In(d.Params) {
		recipe.Locker = newLocker(d, writing())
		return lock.SharedRecipe{Recipe: recipe, Readers: newLocker(d, reading())}
	}
	return recipe
}

// newPermits makes a semaphore. It implements lock.Semaphore.
func newPermits(d lock.Deps) lock.Strategy {
	return lock.PermitRecipe{
		Recipe: lock.Recipe{Refused: lock.Refusals().In(d.Params)},
		Of:     func(permits int) lock.Locker { return newLocker(d, permitted(permits)) },
	}
}

func newLocker(d lock.Deps, m mode) *locker {
	p := d.Params
	return &locker{
		env: d.Env, client: PortOf(d).Client, params: p, mode: m,
		check: lock.LeaseChecks().In(p), fenced: fences().In(p), renews: renewals().In(p), rechecks: rechecks().In(p),
	}
}

// Acquire implements lock.Locker. It waits for its turn until ctx or its session ends, or for
// Params.LockTimeout.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	s, err := l.begin(ctx)
	if err != nil {
		return nil, l.failed(ctx, key, err, true)
	}
	g := &grant{session: s, lock: key, key: recordOf(key) + l.mode.name + strconv.FormatInt(s.id, 16)}
	if err = l.enter(g); err == nil {
		err = l.wait(g)
	}
	if err != nil {
		cause := context.Cause(s.ctx) // before the end of the session
		gone, _ := s.revoke(context.WithoutCancel(ctx))
		if errors.Is(cause, lock.ErrLost) {
			err = fmt.Errorf("%w: %w", errSession, cause)
		}
		return nil, l.failed(ctx, key, err, gone)
	}
	s.held.Store(int64(max(l.env.Mono(), 1)))
	return g, nil
}

// errSession is the error of a waiter whose lease ended in the queue.
var errSession = errors.New("the session has ended")

// failed returns the error of an acquire. Gone means that the key is not in the queue and never will be, so the outcome
// is known.
func (l *locker) failed(ctx context.Context, key string, err error, gone bool) error {
	switch {
	case gone && ctx.Err() != nil:
		return fmt.Errorf("acquire %s: %w", key, context.Cause(ctx))
	case gone:
		return fmt.Errorf("acquire %s: %w", key, err)
	}
	return fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
}

// enter puts the key of a grant into the queue.
func (l *locker) enter(g *grant) error {
	own := Keys{Key: g.key}
	answer, err := l.client.Do(env.WithOp(g.ctx, "acquire"), &Txn{
		If:   []Compare{{Keys: own, Field: ByCreate, Is: Equal}},
		Then: []Request{&Put{Key: g.key, Lease: g.id}, l.first(g)},
		Else: []Request{&Range{Keys: own}, l.first(g)},
	})
	if err != nil {
		return err
	}
	g.created = answer.Revision
	if !answer.Succeeded { // an earlier copy of the request has put it
		g.created = answer.Results[0].KVs[0].Create
	}
	before := 0
	for _, kv := range answer.Results[1].KVs {
		if kv.Create < g.created {
			before++
		}
	}
	g.granted = before < l.mode.permits
	return nil
}

// first reads the first keys that the grant could have to wait for.
func (l *locker) first(g *grant) *Range {
	return &Range{Keys: l.ahead(g), By: ByCreate, Order: Ascending, Limit: int64(l.mode.permits)}
}

// ahead is the range of the keys that the grant waits for if they are before its own.
func (l *locker) ahead(g *grant) Keys { return Prefix(recordOf(g.lock) + l.mode.behind) }

// limit returns a context that ends with the session, or when the wait has taken too long.
func (l *locker) limit(s *session) (context.Context, context.CancelFunc) {
	if l.params.LockTimeout == 0 {
		return s.ctx, func() {}
	}
	return l.env.WithTimeout(s.ctx, l.params.LockTimeout)
}

// retryPause is the pause of a waiter after an error.
const retryPause = 100 * time.Millisecond
