package redis

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// waiting says what a waiter waits for before it asks one server again. Several
// servers are polled.
type waiting struct {
	// from returns the subscriber that tells of releases; nil: the waiter polls.
	from func(p Port) Subscriber
}

func waitings() lock.Choice[waiting] {
	return lock.Choice[waiting]{Name: "waiting", Doc: "what a waiter waits for before it asks again", Options: []lock.Option[waiting]{
		{Way: lock.Sound("poll", "the pause that `retry` says")},
		{
			Way: lock.Sound("message", "a message that the key was given back, for `fallback` at most; of one server only"),
			Do:  waiting{func(p Port) Subscriber { return p.Subscriber }},
		},
		{
			Way: lock.Flaw("message-shared", "`message`, over one connection for all waiters of a process: who stops listening ends it for all"),
			Do:  waiting{func(p Port) Subscriber { return p.SharedSubscriber }},
		},
	}}
}

// bell is what a waiter for one key listens to between two attempts.
type bell struct {
	locker       *locker
	subscription Subscription // nil: not yet, or not any more
}

// wait returns when it is time for another attempt, after the nth was refused.
func (b *bell) wait(ctx context.Context, key string, n int) error {
	l := b.locker
	if l.waiting.from == nil {
		return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.random))
	}
	from := l.waiting.from(l.port)
	if from == nil {
		return fmt.Errorf("waiting: %s needs a Subscriber", l.params.Parts["waiting"])
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

// releaseChannel is where announcedReleaseScript tells of the key.
func releaseChannel(key string) string { return key + ":released" }
