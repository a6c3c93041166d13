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

// newRedlock makes a redisLocker that takes the key of a quorum of independent
// servers, all asked at once. How the value is made, the retries, the renewal and
// the release are the same parts as with one server; every request of them
// goes to all servers, and a quorum decides.
func newRedlock(d lock.Deps) lock.Strategy {
	d.Params.Waiting = lock.WaitingPoll // nobody has said which of several messages counts
	l := newRedisLocker(d)
	if l.nodes = PortOf(d).Nodes; len(l.nodes) == 0 {
		l.nodes = []goredis.Cmdable{l.client}
	}
	return l.strategy()
}

// tryQuorum asks all servers for the key. An attempt that fails, or comes too
// late, is undone on all of them, also on those that did not answer. The error
// says that failed servers may have made the difference.
func (l *locker) tryQuorum(ctx context.Context, lease *lease) (won bool, err error) {
	owner, over := lease.owner, new(atomic.Bool)
	lease.over = over
	sent, wall := l.env.Mono(), l.env.Now()
	t := l.ask(ctx, nil, func(asking context.Context, client goredis.Cmdable) (int64, error) {
		n, err := l.take(asking, client, lease.keys, owner)
		if over.Load() && (n > 0 || err != nil) {
			// Nobody waits for the answer any more, and the key must not stay.
			cleanup := env.WithOp(context.WithoutCancel(ctx), "release")
			_, _ = l.deletion(lease, owner)(cleanup, client)
		}
		return n, err
	})
	votes := t.yes
	if l.params.Vote == lock.VoteAnswered {
		votes += t.no
	}
	if votes >= l.quorum() && l.valid(lease, sent, wall) {
		if l.params.Fence != lock.FenceNone {
			lease.token = t.highest
		}
		return true, nil
	}
	if t.err != nil && l.params.Unknown == lock.UnknownRefused {
		return false, nil
	}
	over.Store(true)
	_, _ = l.compareAndDelete(context.WithoutCancel(ctx), lease) // what cannot be undone expires
	if votes < l.quorum() && len(l.nodes)-t.no >= l.quorum() {
		return false, t.err
	}
	return false, nil
}

// valid sets the end of a lease whose attempt began at a moment of the two
// clocks, and reports whether any of it is left.
func (l *locker) valid(lease *lease, sent time.Duration, wall time.Time) bool {
	lease.end.Store(l.until(sent))
	switch l.params.Validity {
	case lock.ValidityNone:
		return true
	case lock.ValidityWall:
		lease.end.Store(l.until(l.env.Mono() - l.env.Now().Sub(wall)))
	case lock.ValidityMonotonic:
	}
	return lease.left() > 0
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
		n, err := do(ctx, l.client)
		return n > 0, err
	}
	t := l.ask(ctx, lanes, do)
	switch answered := t.yes + t.no; {
	case t.yes >= l.quorum():
		return true, nil
	case len(l.nodes)-t.no < l.quorum(), l.params.Release == lock.ReleaseIgnored && answered >= l.quorum():
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

// ask sends a request to all servers at once and waits for their answers, for
// NodeTimeout at most. A request that is given up goes on by itself. Where there
// are lanes, one for each server, a request begins when the last one of its lane
// has ended.
func (l *locker) ask(ctx context.Context, lanes []env.Sem, do request) tally {
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
