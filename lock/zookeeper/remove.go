package zookeeper

import (
	"context"
	"errors"

	"lockquake/lock/env"
)

// removal is the result of the removal of a znode.
type removal int

// The results.
const (
	pending removal = iota // it may still be there
	absent                 // it was gone before
	deleted                // the removal has deleted it
	unclear                // it is gone: the removal has deleted it, or it has ended with its session
)

// leave removes a place from the queue, and reports whether it is certain that it is not there.
func (l *locker) leave(ctx context.Context, p *place) bool {
	return l.remove(ctx, p, 0) != pending
}

// remove deletes the znode of a place in a session. A task does that, which goes on until the znode is
// gone, whatever the server answers: if it stayed, the live session of the client would keep all others
// out. Remove waits for the task at most for the timeout of the session.
func (l *locker) remove(ctx context.Context, p *place, session int64) removal {
	background := context.WithoutCancel(ctx)
	var end removal // for this task only, until the other one has ended
	removed := l.env.Go("cleanup", func() {
		lost := false // the reply to an earlier request
		attempt := func() error {
			if p.name == "" {
				if err := l.find(background, p); err != nil {
					return err
				}
				if p.name == "" {
					end = absent
					return nil
				}
			}
			err := l.client.Delete(env.WithOp(background, "release"), p.path())
			switch {
			case err == nil:
				end = deleted
			case errors.Is(err, ErrNoNode):
				end = l.missing(lost, session)
				return nil
			case errors.Is(err, ErrDisconnected):
				lost = true
			}
			return err
		}
		for attempt() != nil {
			if l.env.Sleep(background, l.pause) != nil {
				return
			}
		}
	})
	limited, cancel := l.env.WithTimeout(background, l.timeout)
	defer cancel()
	if removed.Acquire(limited) != nil {
		return pending
	}
	return end
}

// missing returns the result for a znode that is not there. If the reply to an earlier deletion was lost,
// and the session goes on, then that deletion took effect.
func (l *locker) missing(lost bool, session int64) removal {
	switch {
	case !lost:
		return absent
	case l.client.Status().Session == session:
		return deleted
	}
	return unclear
}
