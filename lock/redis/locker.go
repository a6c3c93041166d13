package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// locker takes a key of one Redis server, or of a quorum of several. The client must
// not resend requests: a SET NX that is resent after its reply was lost finds the key
// that it has set, and reports it as another owner's.
type locker struct {
	env      env.Env
	port     Port
	nodes    []goredis.Cmdable // one client for each of several servers; nil for one server
	params   lock.Params
	random   *rand.Rand
	instance string // the value of ownerInstance

	// The parts that params name.
	owner    owner
	take     take
	grant    grant // made by the part fence
	check    lock.LeaseCheck
	renewal  renewal
	release  release
	unknown  unknown
	validity validity
	vote     vote
	waiting  waiting
	reaping  reaping

	fenced           bool
	deleteOwn, renew *goredis.Script
	form             *form // nil: the record of a lock is a string

	reapers map[string]*reaper                // by key, for startReaper
	handles map[string]*atomic.Pointer[lease] // by key, for startZombie
}

// parts lists the parts of a locker and of its strategy.
func parts() []lock.Part {
	return []lock.Part{
		owners().Part(), takes().Part(), fences().Part(), lock.LeaseChecks().Part(), renewals().Part(), releases().Part(),
		unknowns().Part(), lock.Refusals().Part(), validities().Part(), votes().Part(), waitings().Part(), reapings().Part(),
	}
}

// newSingle makes a strategy that takes the key of one server.
func newSingle(d lock.Deps) lock.Strategy { return newLocker(d, nil, nil).recipe() }

// newQuorum makes a strategy that takes the key of a quorum of independent servers. It
// has the same parts as with one server, but waiters always poll and there is no reaper.
func newQuorum(d lock.Deps) lock.Strategy {
	port := PortOf(d)
	nodes := port.Nodes
	if len(nodes) == 0 {
		nodes = []goredis.Cmdable{port.Client}
	}
	return newLocker(d, nodes, nil).recipe()
}

// newLocker makes a locker, and looks up its parts. Nodes is nil for one server. F is nil for a lock
// whose record is a string.
func newLocker(d lock.Deps, nodes []goredis.Cmdable, f *form) *locker {
	p := d.Params
	l := &locker{
		env: d.Env, port: PortOf(d), nodes: nodes, params: p, random: d.Env.Rand("lock"), instance: d.Instance,
		owner: owners().In(p), take: takes().In(p), check: lock.LeaseChecks().In(p), renewal: renewals().In(p), release: releases().In(p),
		unknown: unknowns().In(p), validity: validities().In(p), vote: votes().In(p), waiting: waitings().In(p), reaping: reapings().In(p),
		fenced: p.Fenced(),
	}
	if nodes != nil {
		l.waiting, l.reaping = waiting{}, noReaper()
	}
	l.grant = fences().In(p)(l)
	text := releaseScript
	if l.waiting.from != nil {
		text = announcedReleaseScript
	}
	l.deleteOwn, l.renew = goredis.NewScript(text), goredis.NewScript(l.renewal.script)
	if f != nil {
		l.use(f)
	}
	return l
}

// recipe adds the parts that decide about the work around the lock.
func (l *locker) recipe() lock.Recipe {
	return lock.Recipe{Locker: l, Refused: lock.Refusals().In(l.params), End: l.release.end}
}

// Acquire implements lock.Locker. It repeats an attempt until one wins, the attempts are
// used up, or ctx ends. With one server it also stops after an attempt of unknown outcome.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	retry := l.params.Retry
	lease := &lease{locker: l, ctx: ctx, key: key, keys: l.recordsOf(key)}
	if l.fenced {
		lease.keys = append(lease.keys, lease.fenceKey())
	}
	asking := env.WithOp(ctx, "acquire")
	attempt := (*locker).tryOne
	if l.nodes != nil {
		attempt = (*locker).tryQuorum
	}
	l.reaping.watch(l, key)
	waiter := &waiter{locker: l}
	defer waiter.close(ctx)
	for n := 1; ; n++ {
		lease.owner = l.owner(l, lease.owner)
		won, err := attempt(l, asking, lease)
		switch {
		case won:
			lease.startRenewal()
			return lease, nil
		case err != nil && l.nodes == nil:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		}
		last := retry.Attempts != lock.Unlimited && n >= int(retry.Attempts)
		if !last || retry.AfterLast {
			if err := waiter.wait(ctx, key, n); err != nil {
				l.withdraw(ctx, key)
				return nil, fmt.Errorf("acquire %s: %w", key, err)
			}
		}
		if last {
			l.withdraw(ctx, key)
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, n, giveUpReason(cmp.Or(err, lease.behind)))
		}
	}
}

// giveUpReason returns the error of an acquire whose attempts are used up. Err is the
// error of the last attempt, or of an earlier one that may have left keys behind.
func giveUpReason(err error) error {
	if err != nil {
		return errors.Join(lock.ErrUnknown, err)
	}
	return lock.ErrNotObtained
}

// tryOne asks the one server for the key. After an error it is unknown whether the
// lease has the key.
func (l *locker) tryOne(ctx context.Context, r *lease) (won bool, err error) {
	sent := l.env.Mono()
	n, err := l.requestGrant(ctx, l.port.Client, r.keys, r.owner)
	won = n > 0
	if won && err == nil && l.params.Wait > 0 {
		err = l.confirm(ctx)
	}
	switch {
	case err != nil && l.unknown.forgets:
		return false, nil
	case err != nil:
		// The request may have taken effect, or have missed the replicas. Delete the
		// key: it would keep other workers out, although nobody holds the lock.
		_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), r)
		if cleanup == nil { // the server answers
			l.withdraw(ctx, r.key)
		}
		return false, errors.Join(err, cleanup)
	case !won:
		return false, nil
	}
	if l.fenced {
		r.token = n
	}
	r.end.Store(l.leaseEnd(sent))
	l.reaping.enter(ctx, l, r)
	return true, nil
}

// confirm returns an error unless params.Wait replicas confirm the last write of this
// client. WAIT is about the writes of its own connection. The grant was sent over the
// same connection, since a worker sends one request at a time.
func (l *locker) confirm(ctx context.Context) error {
	client, ok := l.port.Client.(interface {
		Wait(ctx context.Context, replicas int, timeout time.Duration) *goredis.IntCmd
	})
	if !ok {
		return fmt.Errorf("a %T cannot wait for replicas", l.port.Client)
	}
	n, err := client.Wait(env.WithOp(ctx, "wait"), l.params.Wait, l.params.NodeTimeout).Result()
	if err == nil && n < int64(l.params.Wait) {
		err = fmt.Errorf("confirmed by %d of %d replicas", n, l.params.Wait)
	}
	return err
}
