package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// lossRule reports whether a holder has to count its lock as lost, by the state of its session.
type lossRule func(r *lease, now Status) bool

func suspensions() lock.Choice[lossRule] {
	return lock.Choice[lossRule]{Name: "suspended", Doc: "what the holder does when its client has lost the connection (SUSPENDED)", Options: []lock.Option[lossRule]{
		{Way: lock.Sound("lost", "it counts the lock as lost: its session may expire before it learns of that"), Value: func(r *lease, now Status) bool {
			return now.Connections != r.connections || !now.Connected || now.Session != r.session
		}},
		{Way: lock.Flaw("ignored", "it continues to work until a server says that the session has expired (LOST), which it learns only when it is connected again"), Value: func(r *lease, now Status) bool {
			return now.Session != r.session
		}},
	}}
}

// lease is a place at the head of the queue.
type lease struct {
	locker      *locker
	key         string
	place       *place
	session     int64
	connections int
	token       int64
	ctx         context.Context
	end         context.CancelCauseFunc
	watched     env.Sem // released when the task that watches the session has ended
	stop        context.CancelCauseFunc
}

// newLease returns the lease of a place that has its turn, and watches its session.
func (l *locker) newLease(ctx context.Context, key string, p *place, node Znode, now Status) *lease {
	r := &lease{locker: l, key: key, place: p, session: now.Session, connections: now.Connections}
	if l.fenced {
		r.token = node.Czxid
	}
	r.ctx, r.end = l.env.WithCancel(ctx)
	watching, stop := l.env.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.watched = l.env.Go("guard", func() { r.guard(watching) })
	return r
}

// guard tells the holder when it loses its lock.
func (r *lease) guard(ctx context.Context) {
	for {
		now := r.locker.client.Status()
		if r.locker.lost(r, now) {
			r.end(fmt.Errorf("%s: %w: its session may have expired", r.key, lock.ErrLost))
			return
		}
		if now.Changed.Wait(ctx) != nil {
			return
		}
	}
}

// Context implements lock.Lease.
func (r *lease) Context() context.Context { return r.ctx }

// Check implements lock.Lease.
func (r *lease) Check() error {
	if r.told() {
		return context.Cause(r.ctx)
	}
	return nil
}

// told reports whether the holder was told of a loss.
func (r *lease) told() bool { return errors.Is(context.Cause(r.ctx), lock.ErrLost) }

// Token implements lock.Lease.
func (r *lease) Token() int64 { return r.token }

// Release implements lock.Lease.
func (r *lease) Release(ctx context.Context) error {
	r.stop(nil)
	if err := r.watched.Acquire(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer r.end(nil)
	switch end := r.locker.remove(ctx, r.place, r.session); {
	case end == pending:
		return fmt.Errorf("release %s: %w: the znode is not deleted yet", r.key, lock.ErrUnknown)
	case end == absent || r.told():
		return fmt.Errorf("release %s: %w", r.key, lock.ErrLost)
	case end == unclear:
		return fmt.Errorf("release %s: %w: the reply was lost, and the session has ended since", r.key, lock.ErrUnknown)
	}
	return nil
}
