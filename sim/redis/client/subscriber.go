package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// NewSubscriber returns a subscriber to the simulated server on the node that resolve returns. Each
// subscription has its own connection, as with go-redis.
func NewSubscriber(p *sim.Process, resolve func() string, o Options) lockredis.Subscriber {
	return subscriber{&connector{p, resolve, o.WithDefaults()}}
}

type subscriber struct{ *connector }

// Subscribe implements lockredis.Subscriber.
func (s subscriber) Subscribe(ctx context.Context, channel string) (lockredis.Subscription, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.tell(ctx, conn, "subscribe", channel); err != nil {
		conn.Close()
		return nil, err
	}
	return subscription{conn}, nil
}

// connect dials and makes the handshake of go-redis.
func (s subscriber) connect(ctx context.Context) (*sim.Conn, error) {
	conn, err := s.dialOnce()
	if err != nil {
		return nil, err
	}
	if _, err = conn.Call(context.Background(), "hello", &resp.Command{Args: []string{"hello", "2"}}, s.timeout(ctx, nil)); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// tell sends SUBSCRIBE or UNSUBSCRIBE for a channel.
func (s subscriber) tell(ctx context.Context, conn *sim.Conn, word, channel string) error {
	answer, err := conn.Call(context.Background(), word, &resp.Command{Args: []string{word, channel}}, s.timeout(ctx, nil))
	if err != nil {
		return fmt.Errorf("%s %s: %w", word, channel, err)
	}
	if reply, ok := answer.(*resp.Reply); ok && reply.Kind == resp.Error {
		return fmt.Errorf("%s %s: %s", word, channel, reply.Text)
	}
	return nil
}

// subscription is a subscription with its own connection.
type subscription struct{ conn *sim.Conn }

func (s subscription) Receive(ctx context.Context, timeout time.Duration) error {
	_, err := s.conn.Receive(ctx, timeout)
	if errors.Is(err, sim.ErrTimeout) {
		return lockredis.ErrSilence
	}
	for err == nil && s.conn.Unread() {
		_, err = s.conn.Receive(ctx, timeout)
	}
	return err
}

func (s subscription) Close(context.Context) error {
	s.conn.Close()
	return nil
}

// NewSharedSubscriber returns a subscriber that uses one connection for all subscriptions of the
// process. For the server that is one listener of a channel, so closing a subscription closes all
// others of that channel.
func NewSharedSubscriber(p *sim.Process, resolve func() string, o Options) lockredis.Subscriber {
	return &sharedSubscriber{subscriber: subscriber{&connector{p, resolve, o.WithDefaults()}}}
}

type sharedSubscriber struct {
	subscriber
	env       *sim.Worker // runs the task that reads; nil before the first subscription
	conn      *sim.Conn
	listeners []*listener
}

// listener is one of several subscriptions on one connection.
type listener struct {
	shared  *sharedSubscriber
	conn    *sim.Conn
	channel string
	heard   env.Sem
}

// Subscribe implements lockredis.Subscriber.
func (s *sharedSubscriber) Subscribe(ctx context.Context, channel string) (lockredis.Subscription, error) {
	if err := s.process.Admit(); err != nil {
		return nil, err
	}
	if s.env == nil {
		p := s.process
		s.env = p.Worker(p.Name() + " redis subscriber")
	}
	if s.conn == nil || s.conn.Err() != nil {
		conn, err := s.connect(ctx)
		if err != nil {
			return nil, err
		}
		s.conn = conn
		s.env.Go("reader", func() { s.read(conn) })
	}
	l := &listener{s, s.conn, channel, s.env.NewSem(0)}
	if err := s.tell(ctx, l.conn, "subscribe", channel); err != nil {
		l.conn.Close()
		return nil, err
	}
	s.listeners = append(s.listeners, l)
	return l, nil
}

// read wakes the listeners of each published message, and all listeners when the connection ends.
func (s *sharedSubscriber) read(conn *sim.Conn) {
	for {
		message, err := conn.Receive(context.Background(), 0)
		for _, l := range s.listeners {
			if l.conn == conn && (err != nil || l.channel == message.(*resp.Reply).Elems[1].Text) {
				l.heard.Release()
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *listener) Receive(ctx context.Context, timeout time.Duration) error {
	waiting := ctx
	if timeout > 0 {
		limited, cancel := l.shared.env.WithTimeout(ctx, timeout)
		defer cancel()
		waiting = limited
	}
	err := l.heard.Acquire(waiting)
	for err == nil && l.heard.TryAcquire() {
	}
	switch {
	case err != nil && ctx.Err() == nil && waiting.Err() != nil:
		return lockredis.ErrSilence
	case err == nil:
		return l.conn.Err()
	}
	return err
}

func (l *listener) Close(ctx context.Context) error {
	s := l.shared
	s.listeners = slices.DeleteFunc(s.listeners, func(other *listener) bool { return other == l })
	return s.tell(context.WithoutCancel(ctx), l.conn, "unsubscribe", l.channel)
}
