package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/aws/smithy-go"

	"lockquake/lock"
	"lockquake/lock/env"
)

// locker takes items of the table of locks. It implements lock.Locker.
type locker struct {
	env    env.Env
	client Client
	params lock.Params
	rand   *rand.Rand
	// seen has what each item looked like when an acquire of the worker saw it last. An acquire that gives up
	// before the lease of a dead holder is over leaves to the next one what it has seen. The published client
	// waits for at least one lease instead.
	seen map[string]*observation

	// The parts that params name.
	fenced    bool
	takeover  takeover
	poll      poll
	ownWrite  ownWrite
	heartbeat heartbeat
	check     lock.LeaseCheck
}

// parts lists the parts of a lock.
func parts() []lock.Part {
	return []lock.Part{
		fences().Part(), takeovers().Part(), polls().Part(), ownWrites().Part(), heartbeats().Part(), lock.LeaseChecks().Part(), lock.Refusals().Part(),
	}
}

// newLock makes a strategy.
func newLock(d lock.Deps) lock.Strategy {
	p := d.Params
	l := &locker{
		env: d.Env, client: PortOf(d).Client, params: p, rand: d.Env.Rand("lock"), seen: map[string]*observation{},
		fenced: fences().In(p), takeover: takeovers().In(p), poll: polls().In(p), ownWrite: ownWrites().In(p), heartbeat: heartbeats().In(p), check: lock.LeaseChecks().In(p),
	}
	return lock.Recipe{Locker: l, Refused: lock.Refusals().In(p)}
}

// random returns a new owner or version.
func (l *locker) random() string {
	return fmt.Sprintf("%016x%016x", l.rand.Uint64(), l.rand.Uint64())
}

// Acquire implements lock.Locker. It asks until it has the lock, the attempts are used up, or ctx ends. After
// a temporary error it continues: if the request took effect, the next request finds its item.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	r := &lease{locker: l, ctx: ctx, key: key, owner: l.random()}
	seen := l.seen[key]
	if seen == nil {
		seen = &observation{}
		l.seen[key] = seen
	}
	unknown := false // an attempt may have taken effect
	for n := 1; ; n++ {
		limited, cancel := l.env.WithTimeout(env.WithOp(ctx, "acquire"), l.params.TTL)
		won, failure := l.attempt(limited, r, seen)
		cancel()
		if won {
			r.start()
			return r, nil
		}
		unknown = unknown || failure != nil
		why := failure
		if failure == nil || mayPass(failure) {
			if why = l.wait(ctx, n); why == nil {
				continue
			}
		}
		if unknown {
			why = l.undo(ctx, r, why, failure)
		}
		return nil, fmt.Errorf("acquire %s: %w", key, why)
	}
}

// wait pauses after the nth attempt. It returns the reason if no other one follows.
func (l *locker) wait(ctx context.Context, n int) error {
	if retry := l.params.Retry; retry.Attempts != lock.Unlimited && n >= int(retry.Attempts) {
		return fmt.Errorf("%d attempts: %w", n, lock.ErrNotObtained)
	}
	return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.rand))
}

// mayPass reports whether another attempt makes sense after an error: the service did not answer, or could
// not execute the request.
func mayPass(err error) bool {
	failed, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return true
	}
	switch failed.ErrorCode() {
	case "ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded":
		return true
	}
	return failed.ErrorFault() == smithy.FaultServer
}

// undo releases what the attempts of an acquire may have taken, which would keep other workers out. The
// acquire ends because of why; failure is the error of its last attempt. It returns the error of the acquire.
func (l *locker) undo(ctx context.Context, r *lease, why, failure error) error {
	err := r.requestRelease(context.WithoutCancel(ctx))
	switch {
	case errors.Is(err, lock.ErrUnknown):
		return lock.Join(failure, err)
	case errors.Is(err, lock.ErrLost) && failure != nil: // nothing to release yet: the request may still be under way
		return fmt.Errorf("%w: %w", lock.ErrUnknown, why)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failure != nil: // its request may still be under way
		return fmt.Errorf("%w: %w", lock.ErrUnknown, failure)
	}
	return why
}
