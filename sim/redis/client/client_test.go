package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// Commands return the same typed results over the simulated network as over a connection to
// miniredis.
func TestCommandsReturnTheResultsOfGoRedis(t *testing.T) {
	script := goredis.NewScript(`return {1, 'two', redis.call('GET', KEYS[1])}`)
	steps := []func(ctx context.Context, c *goredis.Client) (any, error){
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Ping(ctx).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Get(ctx, "none").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.Set(ctx, "k", 7, time.Minute).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Get(ctx, "k").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Get(ctx, "k").Int() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.SetNX(ctx, "k", 1, time.Second).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.SetNX(ctx, "n", true, time.Second).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.SetNX(ctx, "m", 1.5, 0).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.SetArgs(ctx, "k", []byte("z"), goredis.SetArgs{Mode: "XX", Get: true}).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.SetXX(ctx, "gone", 1, 0).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.PExpire(ctx, "k", time.Second).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.Expire(ctx, "none", time.Second).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.PTTL(ctx, "count").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.TTL(ctx, "none").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.Exists(ctx, "k", "m", "none").Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Incr(ctx, "count").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.IncrBy(ctx, "count", 41).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.IncrByFloat(ctx, "float", 2.5).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Incr(ctx, "k").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.MGet(ctx, "count", "none").Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.MSet(ctx, "a", 1, "b", 2).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.HSet(ctx, "h", "f", "v").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.HGet(ctx, "h", "f").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.HGetAll(ctx, "h").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.LPush(ctx, "h", 1).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.RPush(ctx, "l", 1, 2, 3).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.LRange(ctx, "l", 0, -1).Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.SAdd(ctx, "s", "x").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.SIsMember(ctx, "s", "x").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.SMembersMap(ctx, "s").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.ZAdd(ctx, "z", goredis.Z{Score: 1.5, Member: "m"}).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.ZRangeWithScores(ctx, "z", 0, -1).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Type(ctx, "z").Result() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return c.Del(ctx, "a", "b", "none").Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return script.Run(ctx, c, []string{"count"}).Result()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			return script.Run(ctx, c, []string{"none"}).Slice()
		},
		func(ctx context.Context, c *goredis.Client) (any, error) { return c.Do(ctx, "GET", "count").Text() },
		func(ctx context.Context, c *goredis.Client) (any, error) {
			var n *goredis.IntCmd
			_, err := c.TxPipelined(ctx, func(p goredis.Pipeliner) error {
				p.Set(ctx, "t", 1, 0)
				n = p.Incr(ctx, "t")
				return nil
			})
			return n.Val(), err
		},
		func(ctx context.Context, c *goredis.Client) (any, error) {
			var a *goredis.StringCmd
			_, err := c.Pipelined(ctx, func(p goredis.Pipeliner) error {
				a = p.Get(ctx, "t")
				p.Get(ctx, "none")
				return nil
			})
			return a.Val(), err
		},
	}
	results := func(ctx context.Context, c *goredis.Client) []string {
		var lines []string
		for i, step := range steps {
			v, err := step(ctx, c)
			lines = append(lines, fmt.Sprintf("%d: %#v, %v, nil %v", i, v, err, errors.Is(err, goredis.Nil)))
		}
		return lines
	}
	m := miniredis.NewMiniRedis()
	defer m.Close()
	direct := goredis.NewClient(&goredis.Options{
		Addr: "192.0.2.1:6379", Protocol: 2, DisableIdentity: true,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
	})
	defer direct.Close()
	want := results(t.Context(), direct)
	var got []string
	newRig(t, timed()).run(t, func(ctx context.Context, c *goredis.Client) { got = results(ctx, c) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-miniredis +simulated):\n%s", diff)
	}
}

// With one connection in the pool the second command waits for the first, and fails after the
// pool's timeout.
func TestThePoolServesInOrderAndTimesOut(t *testing.T) {
	s := newRig(t, timed())
	s.worker.OnPoint("get.sent", 1, func() {
		if err := s.HoldMessage(2 * time.Second); err != nil {
			t.Error(err)
		}
	})
	var lines []string
	c := s.client("lock", Options{PoolSize: 1, PoolTimeout: time.Second})
	for i, start := range []time.Duration{0, 100 * time.Millisecond, 1500 * time.Millisecond} {
		s.worker.Go("task", func() {
			_ = s.worker.Sleep(context.Background(), start)
			err := c.Get(context.Background(), "k").Err()
			lines = append(lines, fmt.Sprintf("%v task %d: %v", s.Time(), i, err))
		})
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1.1s task 1: redis: connection pool timeout",
		"2.00603s task 0: redis: nil", // dial and HELLO 4.02 ms, the request held 2 s, a round trip and a step
		"2.00804s task 2: redis: nil",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// spy records the words of requests when they arrive.
type spy struct{ arrived []string }

func (s *spy) Serve(c *sim.Call) {
	command := c.Req.(*resp.Command)
	s.arrived = append(s.arrived, string(command.AppendTrace(nil)))
	reply := resp.Reply{Kind: resp.Status, Text: "OK"}
	c.Applied()
	c.Reply(&reply)
}

func (s *spy) Closed(*sim.Session, error) {}

// A command that was given up on may reach the server long after its resend was answered, while
// other commands are built. It still has its own arguments.
func TestALateCommandKeepsItsArguments(t *testing.T) {
	w := newRig(t, timed())
	server := &spy{}
	w.AddNode("spied", sim.NodeConfig{}).Listen(server)
	w.worker.OnPoint("set.sent", 1, func() {
		if err := w.HoldMessage(10 * time.Second); err != nil {
			t.Error(err)
		}
	})
	w.worker.Go("main", func() {
		ctx := context.Background()
		c := w.client("spied", Options{MaxRetries: 1, ReadTimeout: time.Second})
		for _, value := range []string{"first", "second", "third"} {
			if err := c.Set(ctx, "key", value, 0).Err(); err != nil {
				t.Errorf("SET of %s: %v", value, err)
			}
		}
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, words := range server.arrived {
		if words != "hello 2" {
			sets = append(sets, words)
		}
	}
	want := []string{"set key first", "set key second", "set key third", "set key first"}
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
}

// The kinds of network failures keep their types on the way to the lock.
func TestNetworkErrorsKeepTheirTypes(t *testing.T) {
	newRig(t, timed()).run(t, func(ctx context.Context, c *goredis.Client) {
		err := c.Do(ctx, "NONSENSE", "l", 0).Err()
		if _, ok := errors.AsType[goredis.Error](err); !ok {
			t.Errorf("the refusal of an unknown command is no error of the server: %v", err)
		}
	})
	w := newRig(t, timed())
	w.worker.Go("main", func() {
		c := w.client("nowhere", Options{})
		err := c.Get(context.Background(), "k").Err()
		var dial *net.OpError
		if !errors.As(err, &dial) || dial.Op != "dial" {
			t.Errorf("an unknown node gives %v, want an error of dialling", err)
		}
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
}
