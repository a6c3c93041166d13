package redis

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// tryQuorum asks all servers for the key. An attempt without a quorum, or with one that
// came too late, is undone on all servers, including those that did not answer. It returns
// an error if the servers that failed could have decided the outcome. It sets r.behind if a quorum
// may still have the keys of the attempt, which then refuse the next ones.
func (l *locker) tryQuorum(ctx context.Context, r *lease) (won bool, err error) {
	owner, abandoned := r.owner, new(atomic.Bool)
	r.abandoned = abandoned
	sent, wall := l.env.Mono(), l.env.Now()
	t := l.askAll(ctx, nil, func(asking context.Context, client goredis.Cmdable) (int64, error) {
		n, err := l.requestGrant(asking, client, r.keys, owner)
		if abandoned.Load() && (n > 0 || err != nil) {
			// A late answer: the attempt does not count it, and the key must not stay.
			cleanup := env.WithOp(context.WithoutCancel(ctx), "release")
			_, _ = l.deleteRequest(r, owner)(cleanup, client)
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
	abandoned.Store(true)
	undone := l.askAll(env.WithOp(context.WithoutCancel(ctx), "release"), r.queues, l.deleteRequest(r, r.owner))
	undecided := len(l.nodes)-t.no >= l.quorum()
	if undecided && len(l.nodes)-undone.yes-undone.no >= l.quorum() {
		r.behind = undone.err // a key that cannot be deleted expires
	}
	if votes < l.quorum() && undecided {
		return false, t.err
	}
	return false, nil
}

// quorum returns the number of servers that have to grant a lock.
func (l *locker) quorum() int { return lock.Topology{Nodes: len(l.nodes)}.Quorum() }

// request sends one request to one server. A positive answer means yes, 0 means no.
type request func(ctx context.Context, client goredis.Cmdable) (int64, error)

// ask sends a request to the one server, or to all of several, and reports whether that
// server, or a quorum, said yes. With several servers it returns an error if those that
// failed could have decided the outcome.
func (l *locker) ask(ctx context.Context, queues []env.Sem, do request) (bool, error) {
	if l.nodes == nil {
		n, err := do(ctx, l.port.Client)
		return n > 0, err
	}
	t := l.askAll(ctx, queues, do)
	switch answered := t.yes + t.no; {
	case t.yes >= l.quorum():
		return true, nil
	case len(l.nodes)-t.no < l.quorum(), l.release.ignoresLoss && answered >= l.quorum():
		return false, nil
	default:
		return false, t.err
	}
}

// tally counts the answers of several servers to one request.
type tally struct {
	yes, no int
	highest int64 // the highest answer
	err     error // the joined errors of the servers that failed
}

// askAll sends a request to all servers at once, and waits up to NodeTimeout for their
// answers. It does not wait for the tasks of late requests. With queues, one for each
// server, a request waits until the one before it to the same server has ended.
func (l *locker) askAll(ctx context.Context, queues []env.Sem, do request) tally {
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
			if queues != nil {
				if answers[i].err = queues[i].Acquire(context.WithoutCancel(ctx)); answers[i].err != nil {
					return
				}
				defer queues[i].Release()
			}
			answers[i].n, answers[i].err = do(waiting, client)
		})
	}
	var t tally
	for i := range done {
		// An answer that has arrived counts, even if the timeout is over by now.
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
