package redis

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

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

func newKeyspace(t *testing.T) *keyspace.Keyspace {
	t.Helper()
	k, err := keyspace.New(keyspace.NewScriptCache(), keyspace.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// small is a world with a Redis that knows of one lock, and one worker.
type small struct {
	*sim.World
	worker *sim.Worker
	told   []history.Event
}

func newSmall(t *testing.T) *small {
	t.Helper()
	s := &small{World: sim.New(sim.Config{Step: 10 * time.Microsecond, Latency: draw.Fixed(time.Millisecond), WakeLag: draw.Fixed(100 * time.Microsecond)})}
	t.Cleanup(s.Close)
	_, err := New(s.AddNode("lock", sim.NodeConfig{}), Options{
		Locks:  func(key string) bool { return key == "lock" },
		Record: func(e history.Event) { s.told = append(s.told, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.worker = s.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	return s
}

func (s *small) run(t *testing.T, body func(ctx context.Context, c *goredis.Client)) {
	t.Helper()
	s.worker.Go("main", func() {
		body(context.Background(), NewClient(s.worker.Process(), at("lock"), ClientOptions{}))
	})
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
}

// at names the node of a server that does not move.
func at(node string) func() string { return func() string { return node } }

// What the server says of a lock, event by event.
func TestServerTellsTheTruthAboutLocks(t *testing.T) {
	s := newSmall(t)
	release := goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	s.run(t, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock", "a", 100*time.Millisecond) // at the server at 5.02 ms
		c.SetNX(ctx, "lock", "b", 100*time.Millisecond)
		c.Set(ctx, "other", "x", 0)
		c.PExpire(ctx, "lock", 200*time.Millisecond)
		if n, err := release.Run(ctx, c, []string{"lock"}, "b").Int(); n != 0 || err != nil {
			t.Errorf("releasing another's lock gave %d, %v", n, err)
		}
		if n, err := release.Run(ctx, c, []string{"lock"}, "a").Int(); n != 1 || err != nil {
			t.Errorf("releasing gave %d, %v", n, err)
		}
		c.SetNX(ctx, "lock", "c", 50*time.Millisecond)
	})
	var got []string
	for _, e := range s.told {
		got = append(got, fmt.Sprintf("%v %s %s %s until %v by %s", e.At, e.Type, e.Key, e.Owner, e.Until, e.Worker))
	}
	want := []string{
		"5.02ms granted lock a until 106ms by worker-1",
		"7.03ms refused lock a until 106ms by worker-1",
		"11.05ms renewed lock a until 212ms by worker-1",
		"17.08ms freed lock a until 0s by worker-1",
		"19.09ms granted lock c until 70ms by worker-1",
		"70ms expired lock c until 0s by worker-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// go-redis's commands give the same typed results over the simulated network
// as over a connection to miniredis.
func TestTypedResults(t *testing.T) {
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
	newSmall(t).run(t, func(ctx context.Context, c *goredis.Client) { got = results(ctx, c) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-miniredis +simulated):\n%s", diff)
	}
}

// A reply that is lost after its effect: the client times out after 5 s and
// opens a new connection; nothing is resent unless that is asked for.
func TestLostReply(t *testing.T) {
	for _, test := range []struct {
		name    string
		retries int
		won     bool
		failed  bool
		at      time.Duration
		grants  int
	}{
		// acquire.replied at 5.02 ms is lost, sent at 4.02 ms; the read times
		// out 5 s later.
		{"not resent", 0, false, true, 5*time.Second + 4020*time.Microsecond, 1},
		// The resend finds the key, and the client believes the refusal.
		{"resent", 3, false, false, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSmall(t)
			s.worker.OnPoint("set.replied", 1, func() {
				if err := s.DropMessage(time.Hour); err != nil {
					t.Error(err)
				}
			})
			s.worker.Go("main", func() {
				c := NewClient(s.worker.Process(), at("lock"), ClientOptions{MaxRetries: test.retries})
				won, err := c.SetNX(context.Background(), "lock", "a", time.Minute).Result()
				var timeout net.Error
				if won != test.won || (err != nil) != test.failed {
					t.Errorf("SET NX gave %v, %v", won, err)
				}
				if test.failed && (!errors.As(err, &timeout) || !timeout.Timeout()) {
					t.Errorf("the error is no time-out: %v", err)
				}
				if test.at != 0 && s.Time() != test.at {
					t.Errorf("it took %v, want %v", s.Time(), test.at)
				}
			})
			if err := s.Run(); err != nil {
				t.Fatal(err)
			}
			grants := 0
			for _, e := range s.told {
				if e.Type == history.Granted {
					grants++
				}
			}
			if grants != test.grants {
				t.Errorf("%d grants", grants)
			}
		})
	}
}

// With one connection in the pool the second command waits for the first, and
// gives up after the pool's time-out.
func TestPoolServesInOrderAndTimesOut(t *testing.T) {
	s := newSmall(t)
	s.worker.OnPoint("get.sent", 1, func() {
		if err := s.HoldMessage(2 * time.Second); err != nil {
			t.Error(err)
		}
	})
	var lines []string
	c := NewClient(s.worker.Process(), at("lock"), ClientOptions{PoolSize: 1, PoolTimeout: time.Second})
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

func BenchmarkLockCycle(b *testing.B) {
	s := sim.New(sim.Config{Step: 10 * time.Microsecond, Latency: draw.Fixed(time.Millisecond)})
	defer s.Close()
	if _, err := New(s.AddNode("lock", sim.NodeConfig{}), Options{}); err != nil {
		b.Fatal(err)
	}
	k := s.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	release := goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	b.ReportAllocs()
	k.Go("main", func() {
		ctx := context.Background()
		c := NewClient(k.Process(), at("lock"), ClientOptions{})
		for range b.N {
			c.SetNX(ctx, "lock", "a", time.Second)
			release.Run(ctx, c, []string{"lock"}, "a")
		}
	})
	b.ResetTimer()
	if err := s.Run(); err != nil {
		b.Fatal(err)
	}
}
