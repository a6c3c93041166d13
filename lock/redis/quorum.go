package redis

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// tryQuorum asks all servers for the key. An attempt that fails, or comes too
// late, is undone on all of them, also on those that did not answer. The error
// says that failed servers may have made the difference.
func (l *locker) tryQuorum(ctx context.Context, r *lease) (won bool, err error) {
	owner, over := r.owner, new(atomic.Bool)
	r.over = over
	sent, wall := l.env.Mono(), l.env.Now()
	t := l.askAll(ctx, nil, func(asking context.Context, client goredis.Cmdable) (int64, error) {
		n, err := l.askOne(asking, client, r.keys, owner)
		if over.Load() && (n > 0 || err != nil) {
			// The attempt no longer waits for the answer, and the key must not stay.
			cleanup := env.WithOp(context.WithoutCancel(ctx), "release")
			_, _ = l.deletion(r, owner)(cleanup, client)
		}
		return n, err
	})
	votes := l.vote(t)
	if votes >= l.quorum() && l.validity(l, r, sent, wall) {
		if l.fenced {
			r.token = t.highest
		}
		return true, nil
	}
	if t.err != nil && l.unknown.forgets {
		return false, nil
	}
	over.Store(true)
	_, _ = l.compareAndDelete(context.WithoutCancel(ctx), r) // what cannot be undone expires
	if votes < l.quorum() && len(l.nodes)-t.no >= l.quorum() {
		return false, t.err
	}
	return false, nil
}

// drift is what is taken off a lease of several servers.
func (l *locker) drift() time.Duration {
	switch {
	case l.nodes == nil:
		return 0
	case l.params.Drift != 0:
		return l.params.Drift
	}
	return (l.params.TTL / 100).Round(time.Millisecond) + 2*time.Millisecond
}

func (l *locker) quorum() int { return lock.Topology{Nodes: len(l.nodes)}.Quorum() }

// request asks one server for something. A positive answer is a yes.
type request func(ctx context.Context, client goredis.Cmdable) (int64, error)

// agree sends a request to the one server, or to all of several, and reports
// whether it was done. With several the error says that too few answered to
// tell.
func (l *locker) agree(ctx context.Context, lanes []env.Sem, do request) (bool, error) {
	if l.nodes == nil {
		n, err := do(ctx, l.port.Client)
		return n > 0, err
	}
	t := l.askAll(ctx, lanes, do)
	switch answered := t.yes + t.no; {
	case t.yes >= l.quorum():
		return true, nil
	case len(l.nodes)-t.no < l.quorum(), l.release.ignoresLoss && answered >= l.quorum():
		return false, nil
	default:
		return false, t.err
	}
}

// tally is what several servers made of one request.
type tally struct {
	yes, no int
	highest int64 // of the answers
	err     error // of the servers that failed
}

// askAll sends a request to all servers at once and waits for their answers, for
// NodeTimeout at most. A request that is given up goes on by itself. Where there
// are lanes, one for each server, a request begins when the last one of its lane
// has ended.
func (l *locker) askAll(ctx context.Context, lanes []env.Sem, do request) tally {
	type answer struct {
		n   int64
		err error
	}
	waiting := ctx
	if timeout := l.params.NodeTimeout; timeout > 0 {
		bounded, cancel := l.env.WithTimeout(ctx, timeout)
		defer cancel()
		waiting = bounded
	}
	answers := make([]answer, len(l.nodes))
	done := make([]env.Sem, len(l.nodes))
	for i, client := range l.nodes {
		done[i] = l.env.Go("request", func() {
			if lanes != nil {
				if answers[i].err = lanes[i].Acquire(context.WithoutCancel(ctx)); answers[i].err != nil {
					return
				}
				defer lanes[i].Release()
			}
			answers[i].n, answers[i].err = do(waiting, client)
		})
	}
	var t tally
	for i := range done {
		// An answer that is there counts, even if the time is over by now.
		var err error
		if !done[i].TryAcquire() {
			err = done[i].Acquire(waiting)
		}
		if err == nil {
			err = answers[i].err
		}
		switch {
		case err != nil:
			t.err = errors.Join(t.err, fmt.Errorf("server %d: %w", i+1, err))
		case answers[i].n > 0:
			t.yes++
			t.highest = max(t.highest, answers[i].n)
		default:
			t.no++
		}
	}
	return t
}
