package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/redis/client"
)

// small is a world with a Redis server that has one lock, and one worker.
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
		body(context.Background(), client.New(s.worker.Process(), at("lock"), client.Options{}))
	})
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
}

// at returns a resolver of a server that does not move.
func at(node string) func() string { return func() string { return node } }

// The server records the events of a lock.
func TestTheServerRecordsWhatHappensToLocks(t *testing.T) {
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

// A reply is lost after the effect: the client times out after 5 s and opens a new connection. It
// resends only if it is configured to.
func TestALostReplyIsResentOnlyOnRequest(t *testing.T) {
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
		// The resend finds the key, so the client gets a refusal.
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
				c := client.New(s.worker.Process(), at("lock"), client.Options{MaxRetries: test.retries})
				won, err := c.SetNX(context.Background(), "lock", "a", time.Minute).Result()
				var timeout net.Error
				if won != test.won || (err != nil) != test.failed {
					t.Errorf("SET NX gave %v, %v", won, err)
				}
				if test.failed && (!errors.As(err, &timeout) || !timeout.Timeout()) {
					t.Errorf("the error is not a timeout: %v", err)
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
		c := client.New(k.Process(), at("lock"), client.Options{})
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
