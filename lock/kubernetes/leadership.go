package kubernetes

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// stepDown decides what a leader does when it cannot renew its lease any more, or its caller gives up.
type stepDown struct {
	// withCaller: the election ends with the context of the caller, not with the work.
	withCaller bool
	// frees: at its end the election frees the lease, and only then tells the work.
	frees bool
	// trusting: see elector.free.
	trusting bool
	// silent: the work is not told.
	silent bool
}

func stepDowns() lock.Choice[stepDown] {
	return lock.Choice[stepDown]{Name: "step-down", Doc: "what a leader does at the renew deadline, and how its term ends", Options: []lock.Option[stepDown]{
		{Way: lock.Sound("after-work", "at the renew deadline it stops the work; it frees the lease when the work has ended, if the lease still names it")},
		{
			Way:   lock.Flaw("release-first", "as ReleaseOnCancel of client-go with a context that the work shares: when that ends, or at the renew deadline, it frees the lease at once, and the work ends later"),
			Value: stepDown{withCaller: true, frees: true},
		},
		{
			Way:   lock.Flaw("trusting", "as release-first with the release of client-go 0.37.2: it frees whatever lease it reads, if it was the leader by its last observation"),
			Value: stepDown{withCaller: true, frees: true, trusting: true},
		},
		{Way: lock.Flaw("never", "at the renew deadline it stops renewing, and does not stop the work"), Value: stepDown{silent: true}},
	}}
}

// leadership is the term of an elected leader. It implements lock.Lease.
type leadership struct {
	*locker
	elector *elector
	ctx     context.Context
	key     string
	token   int64
	elected Lease        // as the election wrote it
	end     atomic.Int64 // of the lease, by the leader's monotonic clock

	lose context.CancelCauseFunc // ends ctx
	stop context.CancelCauseFunc // ends the election
	done env.Sem                 // released when the election has ended
	held bool                    // what the election found when it freed the lease, if it does
	err  error
}

// lead starts the term of a candidate that was elected. A task renews its lease.
func (l *locker) lead(ctx context.Context, key string, e *elector) *leadership {
	t := &leadership{locker: l, elector: e, key: key, elected: e.lease}
	if l.fenced {
		t.token = int64(e.observed.LeaseTransitions) + 1 // client-go begins at 0, which is no token
	}
	t.ctx, t.lose = l.env.WithCancel(ctx)
	above := context.WithoutCancel(ctx)
	if l.stepDown.withCaller {
		above = ctx
	}
	renewing, stop := l.env.WithCancel(above)
	t.stop = stop
	t.renewed()
	t.done = l.env.Go("renewal", func() { t.hold(ctx, renewing) })
	return t
}

// renewed counts the lease from the start of the try that won. Its length is that which the
// others read in the record.
func (t *leadership) renewed() {
	t.end.Store(int64(t.elector.wonAt + leaseTime(t.params)))
}

// hold renews the lease until that fails or renewing ends, and steps down.
func (t *leadership) hold(ctx, renewing context.Context) {
	for t.renew(env.WithOp(renewing, "renew")) && t.env.Sleep(renewing, t.retryPeriod()) == nil {
	}
	failed := renewing.Err() == nil
	if t.stepDown.frees {
		t.held, t.err = t.free(context.WithoutCancel(ctx))
	}
	if failed && !t.stepDown.silent {
		t.lose(fmt.Errorf("%w: it was not renewed within the renew deadline", lock.ErrLost))
	}
}

// renew tries to renew the lease in each retry period until the renew deadline, and reports whether it did. Its
// first try is at once. A try that takes longer than a period is followed by the next one at once.
func (t *leadership) renew(renewing context.Context) bool {
	ctx, cancel := t.env.WithTimeout(renewing, renewDeadline(t.params))
	defer cancel()
	began, period, ticks := t.env.Mono(), t.retryPeriod(), time.Duration(0)
	for ctx.Err() == nil {
		if t.elector.try(ctx) {
			t.renewed()
			return true
		}
		passed := (t.env.Mono() - began) / period
		if passed > ticks {
			ticks = passed
			continue
		}
		ticks++
		if t.env.Sleep(ctx, began+ticks*period-t.env.Mono()) != nil {
			return false
		}
	}
	return false
}

func (t *leadership) free(ctx context.Context) (held bool, err error) {
	limited, cancel := t.env.WithTimeout(env.WithOp(ctx, "release"), renewDeadline(t.params))
	defer cancel()
	return t.elector.free(limited, t.stepDown.trusting)
}

// Context implements lock.Lease.
func (t *leadership) Context() context.Context { return t.ctx }

// Token implements lock.Lease.
func (t *leadership) Token() int64 { return t.token }

// Check implements lock.Lease.
func (t *leadership) Check() error {
	return t.check(t.ctx, t.key, time.Duration(t.end.Load())-t.env.Mono())
}

// interrupted reports whether another leader came between, or the Lease was deleted, and the elector has taken the
// lease again. client-go does not tell its caller.
func (t *leadership) interrupted() bool {
	now := t.elector.lease
	return now.UID != t.elected.UID || now.Spec.LeaseTransitions != t.elected.Spec.LeaseTransitions
}

// Release implements lock.Lease. The election has ended before the lease is freed.
func (t *leadership) Release(ctx context.Context) error {
	t.stop(nil)
	if err := t.done.Acquire(ctx); err != nil {
		return fmt.Errorf("release %s: %w: %w", t.key, lock.ErrUnknown, err)
	}
	held, err := t.held, t.err
	if !t.stepDown.frees {
		held, err = t.free(ctx)
	}
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", t.key, lock.ErrUnknown, err)
	case !held:
		return fmt.Errorf("release %s: %w: the Lease names another leader, or is gone", t.key, lock.ErrLost)
	case t.interrupted():
		return fmt.Errorf("release %s: %w: another leader came between", t.key, lock.ErrLost)
	}
	return nil
}
