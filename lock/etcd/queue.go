package etcd

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// wait waits until fewer keys than permits are before that of the grant.
func (l *locker) wait(g *grant) error {
	if g.granted {
		return nil
	}
	ctx, cancel := l.limit(g.session)
	defer cancel()
	for {
		turn, err := l.waitForOne(ctx, g)
		switch {
		case turn:
			return l.recheck(g)
		case ctx.Err() != nil && g.ctx.Err() == nil:
			return fmt.Errorf("%w: it was held for too long", lock.ErrNotObtained)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			if err := l.env.Sleep(ctx, retryPause); err != nil && g.ctx.Err() != nil {
				return err
			}
		}
	}
}

// waitForOne waits until the key right before that of the grant is deleted. It reports whether there is
// none. With several permits it is the turn of the grant when fewer keys than permits are before its own.
// The deletion of any of those can make it so, and it waits for one.
func (l *locker) waitForOne(ctx context.Context, g *grant) (turn bool, err error) {
	answer, err := l.client.Do(env.WithOp(ctx, "queue"), &Range{
		Keys: l.ahead(g), By: ByCreate, Order: Descending, Limit: int64(l.mode.permits), MaxCreate: g.created - 1,
	})
	if err != nil {
		return false, err
	}
	if len(answer.KVs) < l.mode.permits {
		return true, nil
	}
	next := Keys{Key: answer.KVs[0].Key}
	if l.mode.permits > 1 {
		next = l.ahead(g)
	}
	watch, err := l.client.Watch(ctx, &Watch{Keys: next, Revision: answer.Revision, NoPut: true})
	if err != nil {
		return false, err
	}
	defer watch.Close()
	for {
		changes, err := watch.Next(ctx)
		// After a compaction the deletion may be missing: look again.
		if err != nil || changes.Ended || len(changes.Events) > 0 {
			return false, err
		}
	}
}

// recheck checks that the own key is still there: the lease may have ended in the queue. Then it returns an error, as
// concurrency.Mutex does with ErrSessionExpired: no other owner was in the way.
func (l *locker) recheck(g *grant) error {
	if !l.rechecks {
		return nil
	}
	for {
		answer, err := l.client.Do(env.WithOp(g.ctx, "recheck"), &Range{Keys: Keys{Key: g.key}})
		switch {
		case err == nil && len(answer.KVs) == 1 && answer.KVs[0].Create == g.created:
			return nil
		case err == nil:
			return fmt.Errorf("%w: %w: its key is gone", errSession, lock.ErrLost)
		case g.ctx.Err() != nil:
			return context.Cause(g.ctx)
		case !temporary(err):
			return err
		}
		if err := l.env.Sleep(g.ctx, retryPause); err != nil {
			return err
		}
	}
}

// temporary reports whether another attempt may succeed after an error.
func temporary(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return !ok || e.Unavailable()
}
