package redis

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// bell is what a waiter for one key listens to between two attempts.
type bell struct {
	locker       *locker
	subscription Subscription // nil: not yet, or not any more
}

// wait returns when it is time for another attempt, after the nth was refused.
func (b *bell) wait(ctx context.Context, key string, n int) error {
	l := b.locker
	from := l.subscriber
	switch l.params.Waiting {
	case lock.WaitingMessageShared:
		from = l.shared
	case lock.WaitingMessage:
	default:
		return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.random))
	}
	if from == nil {
		return fmt.Errorf("waiting: %s needs a Subscriber", l.params.Waiting)
	}
	var err error
	if b.subscription == nil {
		// Who has begun to listen asks again at once: the key may have been freed
		// before.
		b.subscription, err = from.Subscribe(ctx, releaseChannel(key))
	} else {
		err = b.subscription.Receive(ctx, l.params.Fallback)
	}
	switch {
	case err == nil, errors.Is(err, ErrSilence):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	b.close(ctx)
	return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.random))
}

// close ends the listening. It does not fail: the server stops sending when the
// connection ends.
func (b *bell) close(ctx context.Context) {
	if b.subscription != nil {
		_ = b.subscription.Close(env.WithOp(context.WithoutCancel(ctx), "unsubscribe"))
		b.subscription = nil
	}
}
