package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Subscriber subscribes to channels of a Redis server. It is an interface of its own,
// since the subscriptions of go-redis do not call its hooks.
type Subscriber interface {
	// Subscribe subscribes to a channel. It returns after the server has confirmed the
	// subscription.
	Subscribe(ctx context.Context, channel string) (Subscription, error)
}

// Subscription is a subscription to one channel, for one task.
type Subscription interface {
	// Receive waits for a message that was published after the last Receive. It
	// returns ErrSilence after timeout (0: it waits for ever), or another error if the
	// connection has ended. Messages that are published after that are lost.
	Receive(ctx context.Context, timeout time.Duration) error
	// Close ends the subscription.
	Close(ctx context.Context) error
}

// ErrSilence means that no message was published before the timeout.
var ErrSilence = errors.New("nothing was published")

// NewSubscriber returns a Subscriber that opens a connection for each subscription, as
// go-redis does. Receive does not return when its context ends, but only after its
// timeout.
func NewSubscriber(client *goredis.Client) Subscriber { return goRedisSubscriber{client} }

type goRedisSubscriber struct{ client *goredis.Client }

func (s goRedisSubscriber) Subscribe(ctx context.Context, channel string) (Subscription, error) {
	p := s.client.Subscribe(ctx, channel)
	if _, err := p.ReceiveTimeout(ctx, s.client.Options().ReadTimeout); err != nil { // the confirmation
		return nil, errors.Join(fmt.Errorf("subscribe to %s: %w", channel, err), p.Close())
	}
	return goRedisSubscription{p}, nil
}

type goRedisSubscription struct{ pubsub *goredis.PubSub }

func (s goRedisSubscription) Receive(ctx context.Context, timeout time.Duration) error {
	_, err := s.pubsub.ReceiveTimeout(ctx, timeout)
	if timed, ok := errors.AsType[net.Error](err); ok && timed.Timeout() {
		return ErrSilence
	}
	return err
}

func (s goRedisSubscription) Close(context.Context) error { return s.pubsub.Close() }
