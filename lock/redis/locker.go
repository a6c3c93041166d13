package redis

import (
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
// not resend by itself: a resend of a SET NX whose reply was lost finds its own key,
// and takes it for another owner's.
type locker struct {
	env      env.Env
	port     Port
	nodes    []goredis.Cmdable // of the several servers; nil where there is one
	params   lock.Params
	random   *rand.Rand
	instance string // the value of ownerInstance

	// The parts, as the params name them.
	owner    owner
	take     take
	grant    grant
	look     lock.Look
	renewal  renewal
	release  release
	unknown  unknown
	validity validity
	vote     vote
	waiting  waiting
	reaping  reaping

	fenced           bool
	deleteOwn, renew *goredis.Script

	reapers map[string]*reaper                // of watchForDead: by key
	handles map[string]*atomic.Pointer[lease] // of startZombie: by key
}

// parts lists the parts of a locker, and of the strategy around it.
func parts() []lock.Part {
	return []lock.Part{
		owners().Part(), takes().Part(), fences().Part(), lock.Looks().Part(), renewals().Part(), releases().Part(),
		unknowns().Part(), lock.Refusals().Part(), validities().Part(), votes().Part(), waitings().Part(), reapings().Part(),
	}
}

// newSingle makes a strategy that takes the key of one server.
func newSingle(d lock.Deps) lock.Strategy { return newLocker(d, nil).strategy() }

// newQuorum makes a strategy that takes the key of a quorum of independent servers,
// all asked at once. The parts are the same as with one server: every request goes to
// all servers, and a quorum decides. A waiter polls, and there is no reaper.
func newQuorum(d lock.Deps) lock.Strategy {
	port := PortOf(d)
	nodes := port.Nodes
	if len(nodes) == 0 {
		nodes = []goredis.Cmdable{port.Client}
	}
	return newLocker(d, nodes).strategy()
}

// newLocker makes a locker. It looks up the parts once, so that none is looked up while
// the locker works.
func newLocker(d lock.Deps, nodes []goredis.Cmdable) *locker {
	p := d.Params
	l := &locker{
		env: d.Env, port: PortOf(d), nodes: nodes, params: p, random: d.Env.Rand("lock"), instance: d.Instance,
		owner: owners().In(p), take: takes().In(p), look: lock.Looks().In(p), renewal: renewals().In(p), release: releases().In(p),
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
	return l
}

func (l *locker) strategy() lock.Strategy {
	return lock.Recipe{Locker: l, Refused: lock.Refusals().In(l.params), End: l.release.end}
}

// Acquire implements lock.Locker.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	retry := l.params.Retry
	lease := &lease{locker: l, ctx: ctx, key: key, keys: []string{key}}
	if l.fenced {
		lease.keys = append(lease.keys, lease.fenceKey())
	}
	asking := env.WithOp(ctx, "acquire")
	attempt := (*locker).tryOne
	if l.nodes != nil {
		attempt = (*locker).tryQuorum
	}
	l.reaping.watch(l, key)
	bell := &bell{locker: l}
	defer bell.close(ctx)
	for n := 1; ; n++ {
		lease.owner = l.owner(l, lease.owner)
		won, err := attempt(l, asking, lease)
		switch {
		case won:
			lease.begin()
			return lease, nil
		case err != nil && l.nodes == nil:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		}
		last := retry.Attempts != lock.Unlimited && n >= int(retry.Attempts)
		if !last || retry.AfterLast {
			if err := bell.wait(ctx, key, n); err != nil {
				return nil, fmt.Errorf("acquire %s: %w", key, err)
			}
		}
		if last {
			return nil, fmt.Errorf("acquire %s, %d attempts: %w", key, n, giveUpReason(err))
		}
	}
}

// giveUpReason returns the error of an acquire that ran out of attempts, the last of
// which ended with err.
func giveUpReason(err error) error {
	if err != nil {
		return errors.Join(lock.ErrUnknown, err)
	}
	return lock.ErrNotObtained
}

// tryOne asks the one server for the key. After an error it is not known
// whether the lease has it.
func (l *locker) tryOne(ctx context.Context, r *lease) (won bool, err error) {
	sent := l.env.Mono()
	n, err := l.askOne(ctx, l.port.Client, r.keys, r.owner)
	won = n > 0
	if won && err == nil && l.params.Wait > 0 {
		err = l.confirmed(ctx)
	}
	switch {
	case err != nil && l.unknown.forgets:
		return false, nil
	case err != nil:
		// It may have taken effect, or not have come to the replicas. No worker must
		// be kept out by a key whose owner believes that it has none.
		_, cleanup := l.compareAndDelete(context.WithoutCancel(ctx), r)
		return false, errors.Join(err, cleanup)
	case !won:
		return false, nil
	}
	if l.fenced {
		r.token = n
	}
	r.end.Store(l.until(sent))
	l.reaping.enter(ctx, l, r)
	return true, nil
}

// confirmed returns an error unless the wanted number of replicas has what this
// client wrote. The server counts what came over the connection of the WAIT,
// which is that of the write as long as a worker does one thing at a time.
func (l *locker) confirmed(ctx context.Context) error {
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

// compareAndDelete frees the key if it is the lease's, and reports whether
// it was.
func (l *locker) compareAndDelete(ctx context.Context, r *lease) (bool, error) {
	return l.agree(env.WithOp(ctx, "release"), r.lanes, l.deletion(r, r.owner))
}
