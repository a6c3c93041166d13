package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// locker takes locks in a ZooKeeper service.
type locker struct {
	env     env.Env
	client  Client
	random  *rand.Rand
	timeout time.Duration // of the session, as it was asked for
	pause   time.Duration // before another attempt
	kind    kind
	permits int // how many contenders can have the lock at once
	lost    lossRule
	fenced  bool
}

// newLock makes a strategy with a lock in a ZooKeeper service.
func newLock(d lock.Deps) lock.Strategy {
	l := newLocker(d)
	recipe := lock.Recipe{Locker: l, Refused: lock.Refusals().In(d.Params)}
	if readerParts().In(d.Params) {
		readers := *l
		readers.kind = reader
		return lock.SharedRecipe{Recipe: recipe, Readers: &readers}
	}
	return recipe
}

// newLocker makes a locker of writers.
func newLocker(d lock.Deps) *locker {
	return &locker{
		env: d.Env, client: PortOf(d).Connect(d.Params.TTL), random: d.Env.Rand("lock"), timeout: d.Params.TTL, pause: d.Params.Retry.Delay,
		kind: writer, permits: 1, lost: suspensions().In(d.Params), fenced: fences().In(d.Params),
	}
}

func fences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "fence", Doc: "fencing token of a grant", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no token"), Value: false},
		{Way: lock.Sound("czxid", "the number of the transaction that created the holder's znode"), Value: true},
	}}
}

// errVanished: the znode of a contender is gone, since its session has expired or a third party has
// deleted it.
var errVanished = errors.New("the znode of the contender is gone")

// Acquire implements lock.Locker. It queues again if its znode vanishes.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	for {
		p := l.newPlace(key)
		lease, err := l.acquire(ctx, key, p)
		if err == nil {
			return lease, nil
		}
		undone := l.leave(ctx, p)
		switch {
		case !undone:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, reason(ctx, err))
		case ctx.Err() != nil, !fails(err) && !errors.Is(err, errVanished):
			return nil, fmt.Errorf("acquire %s: %w", key, reason(ctx, err))
		}
		if err := l.env.Sleep(ctx, l.pause); err != nil {
			return nil, err
		}
	}
}

// reason returns the cause of ctx if that has ended, and err otherwise.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// acquire takes a place in the queue and waits for its turn.
func (l *locker) acquire(ctx context.Context, key string, p *place) (lock.Lease, error) {
	if err := l.enqueue(ctx, p); err != nil {
		return nil, err
	}
	if err := l.retrying(ctx, func() error { return l.wait(ctx, p) }); err != nil {
		return nil, err
	}
	var lease *lease
	err := l.retrying(ctx, func() error {
		before := l.client.Status()
		node, _, err := l.client.Exists(env.WithOp(ctx, "confirm"), p.path(), false)
		now := l.client.Status()
		switch {
		case err != nil:
			return err
		case !node.Exists:
			return errVanished
		case !now.Connected, before.Connections != now.Connections:
			return ErrDisconnected // the holder must notice each loss of the connection
		case node.Owner != now.Session:
			return errVanished // its session is not the present one, and ends soon
		}
		lease = l.newLease(ctx, key, p, node, now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// wait waits until no contender is in the way of a place. With several permits the end of any contender
// before the place can make it its turn, so it waits for a change of the queue.
func (l *locker) wait(ctx context.Context, p *place) error {
	for {
		names, changed, err := l.client.Children(env.WithOp(ctx, "queue"), p.dir, l.permits > 1)
		switch {
		case errors.Is(err, ErrNoNode):
			return errVanished
		case err != nil:
			return err
		}
		before, queued := blocker(contenders(names), p.name, l.permits)
		switch {
		case !queued:
			return errVanished
		case before == "":
			return nil
		case l.permits > 1:
			if err := changed.Wait(ctx); err != nil {
				return err
			}
			continue
		}
		node, gone, err := l.client.Exists(env.WithOp(ctx, "watch"), p.dir+"/"+before, true)
		if err != nil {
			return err
		}
		if !node.Exists {
			continue
		}
		if err := gone.Wait(ctx); err != nil {
			return err
		}
	}
}
