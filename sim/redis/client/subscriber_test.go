package client

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/faults"
	lockredis "lockquake/lock/redis"
	"lockquake/sim"
)

// Two tasks of a process listen to a channel, from about 20 ms and 40 ms on. The second stops at
// 200 ms; the first one still receives later messages, unless both share a connection. A message
// takes 1 ms to the server and 1 ms to the listener.
func TestEachListenerReceivesUntilItCloses(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name      string
		subscribe func(r *rig) lockredis.Subscriber
		listeners []int64 // of each message
		heard     []string
	}{
		{"a connection each", func(r *rig) lockredis.Subscriber {
			return NewSubscriber(r.worker.Process(), at("lock"), Options{})
		}, []int64{2, 1}, []string{
			"first 102ms <nil>", "second 102ms <nil>", "first 202ms nothing was published", "first 282ms <nil>",
		}},
		{"one connection for both", func(r *rig) lockredis.Subscriber {
			return NewSharedSubscriber(r.worker.Process(), at("lock"), Options{})
		}, []int64{1, 0}, []string{
			"first 102ms <nil>", "second 102ms <nil>", "first 202ms nothing was published", "first 302ms nothing was published",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, sim.Config{})
			subscriber := test.subscribe(r)
			var heard []string
			listen := func(name string, receives int) {
				ctx := context.Background()
				s, err := subscriber.Subscribe(ctx, "news")
				if err != nil {
					t.Error(err)
					return
				}
				for range receives {
					err := s.Receive(ctx, 100*ms)
					if r.Time() < 100*ms {
						t.Errorf("%s heard %v too early", name, err)
					}
					heard = append(heard, fmt.Sprintf("%s %v %v", name, r.Time(), err))
				}
				r.sleepTo(200 * ms)
				if name == "second" {
					if err := s.Close(ctx); err != nil {
						t.Error(err)
					}
				}
			}
			r.worker.Go("first", func() {
				r.sleepTo(20 * ms)
				listen("first", 3)
			})
			r.worker.Go("second", func() {
				r.sleepTo(40 * ms)
				listen("second", 1)
			})
			r.run(t, func(ctx context.Context, c *goredis.Client) {
				c.Ping(ctx) // it has a connection from here on
				for i, at := range []time.Duration{100 * ms, 280 * ms} {
					r.sleepTo(at)
					n, err := c.Publish(ctx, "news", "").Result()
					if err != nil || n != test.listeners[i] {
						t.Errorf("message %d went to %d, %v, want %d", i, n, err, test.listeners[i])
					}
				}
			})
			if diff := cmp.Diff(test.heard, heard); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

// A subscription ends when its server crashes, and the caller has to subscribe again.
func TestASubscriptionEndsWithTheServer(t *testing.T) {
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared %v", shared), func(t *testing.T) {
			r := newRig(t, sim.Config{})
			subscriber := NewSubscriber(r.worker.Process(), at("lock"), Options{})
			if shared {
				subscriber = NewSharedSubscriber(r.worker.Process(), at("lock"), Options{})
			}
			r.At(100*time.Millisecond, func() { r.server.Crash(faults.DataByPersistence) })
			r.At(200*time.Millisecond, func() { r.server.Restart() })
			r.run(t, func(ctx context.Context, c *goredis.Client) {
				r.worker.Go("publisher", func() {
					r.sleepTo(250 * time.Millisecond)
					c.Ping(ctx) // it has a connection from here on
					r.sleepTo(299 * time.Millisecond)
					if n, err := c.Publish(ctx, "news", "").Result(); n != 1 || err != nil {
						t.Errorf("%d listen, %v", n, err)
					}
				})
				first, err := subscriber.Subscribe(ctx, "news")
				if err != nil {
					t.Fatal(err)
				}
				if err := first.Receive(ctx, 0); err == nil || errors.Is(err, lockredis.ErrSilence) || r.Time() != 100*time.Millisecond {
					t.Errorf("told %v at %v", err, r.Time())
				}
				if _, err := subscriber.Subscribe(ctx, "news"); err == nil {
					t.Error("a server that is down took a subscription")
				}
				r.sleepTo(250 * time.Millisecond)
				again, err := subscriber.Subscribe(ctx, "news")
				if err != nil {
					t.Fatal(err)
				}
				if err := again.Receive(ctx, 0); err != nil || r.Time() != 301*time.Millisecond {
					t.Errorf("heard %v at %v", err, r.Time())
				}
			})
		})
	}
}
