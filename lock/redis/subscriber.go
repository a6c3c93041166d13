package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Subscriber hears what is published on a Redis server. It is a port of its own
// since go-redis's subscriptions go past its hooks.
type Subscriber interface {
	// Subscribe returns once the server has confirmed that it will send what is
	// published on the channel from now on.
	Subscribe(ctx context.Context, channel string) (Subscription, error)
}

// Subscription is one listener of a channel, for one task.
type Subscription interface {
	// Receive waits until something has been published since the last Receive. It
	// returns ErrSilence after timeout (0: waits for ever), or another error if
	// the connection has ended: what is published meanwhile is lost.
	Receive(ctx context.Context, timeout time.Duration) error
	// Close ends it.
	Close(ctx context.Context) error
}

// ErrSilence says that nothing was published in time.
var ErrSilence = errors.New("nothing was published")

// NewSubscriber returns a Subscriber that makes a connection of its own for each
// subscription, as go-redis does. A context ends a Receive at its time-out only.
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
