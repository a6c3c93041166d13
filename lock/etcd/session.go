package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// session is a lease with the task that renews it.
type session struct {
	locker *locker
	id     int64
	ttl    time.Duration
	end    atomic.Int64 // of the lease, on the holder's monotonic clock
	held   atomic.Int64 // when the session got its lock, on the same clock; 0: it has none

	ctx  context.Context         // ends when the session is lost
	lose context.CancelCauseFunc // ends ctx
	stop context.CancelCauseFunc // ends the renewal
	done env.Sem                 // released when the renewal has ended; nil: there is none any more
}

// begin creates a lease. The server counts in seconds, and can make it longer.
func (l *locker) begin(ctx context.Context) (*session, error) {
	sent := l.env.Mono()
	answer, err := l.client.Do(env.WithOp(ctx, "grant"), &Grant{TTL: int64((l.params.TTL + time.Second - 1) / time.Second)})
	if err != nil {
		return nil, err
	}
	s := &session{locker: l, id: answer.ID, ttl: time.Duration(answer.TTL) * time.Second}
	s.end.Store(int64(sent + s.ttl))
	s.ctx, s.lose = l.env.WithCancel(ctx)
	if l.renews {
		s.startRenewal()
	}
	return s, nil
}

// left returns the time for which the owner may still rely on the lease.
func (s *session) left() time.Duration { return time.Duration(s.end.Load()) - s.locker.env.Mono() }

// startRenewal starts the task that renews the lease, at once and after each third of its TTL. After an error it tries
// again after half a second, until the lease is over. The session of the official client has these times too.
func (s *session) startRenewal() {
	l := s.locker
	renewing, stop := l.env.WithCancel(context.WithoutCancel(s.ctx))
	s.stop = stop
	period := l.params.Renew
	if period == 0 {
		period = s.ttl / 3
	}
	s.done = l.env.Go("renewal", func() {
		const afterError = 500 * time.Millisecond
		for wait := time.Duration(0); ; {
			err := s.renewAfter(renewing, wait)
			switch {
			case renewing.Err() != nil:
				return
			case errors.Is(err, lock.ErrLost):
				s.lose(err)
				return
			case err != nil:
				wait = min(afterError, period)
			default:
				wait = period
			}
		}
	})
}

// renewAfter renews the lease after a time. It returns lock.ErrLost if the lease is over.
func (s *session) renewAfter(ctx context.Context, wait time.Duration) error {
	l := s.locker
	if err := l.env.Sleep(ctx, min(wait, s.left())); err != nil {
		return err
	}
	left := s.left()
	held := time.Duration(s.held.Load())
	switch {
	case left <= 0:
		return fmt.Errorf("%w: it was not renewed in time", lock.ErrLost)
	case l.params.MaxHold > 0 && held > 0 && l.env.Mono()-held >= l.params.MaxHold:
		if err := l.env.Sleep(ctx, left); err != nil {
			return err
		}
		return fmt.Errorf("%w: it was held for too long", lock.ErrLost)
	}
	sent := l.env.Mono()
	limited, cancel := l.env.WithTimeout(env.WithOp(ctx, "renew"), left)
	defer cancel()
	answer, err := l.client.Do(limited, &KeepAlive{ID: s.id})
	switch {
	case err != nil:
		return err
	case answer.TTL == 0:
		return fmt.Errorf("%w: the lease was over when it was renewed", lock.ErrLost)
	}
	s.end.Store(int64(sent + time.Duration(answer.TTL)*time.Second))
	return nil
}

// endRenewal ends the renewal, and waits until its last request has been answered.
func (s *session) endRenewal(ctx context.Context) error {
	if s.done == nil {
		return nil
	}
	s.stop(nil)
	if err := s.done.Acquire(ctx); err != nil {
		return err
	}
	s.done = nil
	return nil
}

// revoke ends the lease. After it, no request with the lease takes effect any more. It reports whether
// that is certain, and whether the lease was there until now.
func (s *session) revoke(ctx context.Context) (gone, ended bool) {
	err := s.endRenewal(ctx)
	if err == nil {
		_, err = s.locker.client.Do(env.WithOp(ctx, "revoke"), &Revoke{ID: s.id})
	}
	return err == nil || errors.Is(err, ErrLeaseNotFound()), err == nil
}
