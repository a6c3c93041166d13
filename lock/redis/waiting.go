package redis

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
)

// waiting decides what a waiter waits for before it asks again. Waiters for a quorum
// always poll.
type waiting struct {
	// from returns the subscriber that receives releases; nil: the waiter polls.
	from func(p Port) Subscriber
}

func waitings() lock.Choice[waiting] {
	return lock.Choice[waiting]{Name: "waiting", Doc: "what a waiter waits for before it asks again", Options: []lock.Option[waiting]{
		{Way: lock.Sound("poll", "the pause of `retry`")},
		{
			Way:   lock.Sound("message", "a message that the key was released, but no longer than `fallback`; with one server only"),
			Value: waiting{func(p Port) Subscriber { return p.Subscriber }},
		},
		{
			Way:   lock.Flaw("message-shared", "`message` over one connection for all waiters of a process: the first one that stops listening ends it for all"),
			Value: waiting{func(p Port) Subscriber { return p.SharedSubscriber }},
		},
	}}
}

// waiter waits for one key between two attempts.
type waiter struct {
	locker       *locker
	subscription Subscription // nil if the waiter is not subscribed
}

// wait returns when the waiter should try again after its nth attempt.
func (w *waiter) wait(ctx context.Context, key string, n int) error {
	l := w.locker
	if l.waiting.from == nil {
		return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.random))
	}
	from := l.waiting.from(l.port)
	if from == nil {
		return fmt.Errorf("waiting: %s needs a Subscriber", l.params.Parts["waiting"])
	}
	var err error
	if w.subscription == nil {
		// After it has subscribed it asks again at once: the key may have been
		// released before.
		w.subscription, err = from.Subscribe(ctx, releaseChannel(key))
	} else {
		err = w.subscription.Receive(ctx, l.params.Fallback)
	}
	switch {
	case err == nil, errors.Is(err, ErrSilence):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	w.close(ctx)
	return l.env.Sleep(ctx, l.params.Retry.Pause(n, l.random))
}

// close ends the subscription. It ignores an error: the server stops sending when the
// connection ends.
func (w *waiter) close(ctx context.Context) {
	if w.subscription != nil {
		_ = w.subscription.Close(env.WithOp(context.WithoutCancel(ctx), "unsubscribe"))
		w.subscription = nil
	}
}

// releaseChannel returns the channel on which announcedReleaseScript publishes the release
// of a key.
func releaseChannel(key string) string { return key + ":released" }
