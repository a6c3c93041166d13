package redis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/client"
	"lockquake/sim/redis/resp"
)

// A third party deletes the keys that match its pattern; an eviction removes one key, which is
// drawn. Only a held lock is recorded.
func TestADeletionIsRecordedAsAnEviction(t *testing.T) {
	for _, test := range []struct {
		name    string
		pattern string
		one     bool
		keys    []string // any one of them if one
		told    []string
	}{
		{"every lock", "", false, []string{"lock-a", "lock-b"}, []string{
			"1s lock: evicted lock-a 1",
			"1s lock: evicted lock-b 1",
		}},
		{"a glob", "*-[bc]", false, []string{"lock-b", "other-c"}, []string{"1s lock: evicted lock-b 1"}},
		{"no match", "x*", false, nil, nil},
		{"one of no match", "x*", true, nil, nil},
		{"one of any", "other*", true, []string{"other-c", "other-d"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			s := r.newServer(t, PersistNone)
			var got []string
			r.At(time.Second, func() {
				x := r.Source().Stream("evict", "lock").At(1)
				if test.one {
					got = s.Delete(test.pattern, &x)
				} else {
					got = s.Delete(test.pattern, nil)
				}
			})
			told := []string{
				"5ms lock: granted lock-a 1",
				"7ms lock: granted lock-b 1",
			}
			r.run(t, append(told, test.told...), func(ctx context.Context, c *goredis.Client) {
				for _, key := range []string{"lock-a", "lock-b", "other-c", "other-d"} {
					c.SetNX(ctx, key, "1", 0)
				}
				c.SetNX(ctx, "lock-gone", "1", 0)
				c.Del(ctx, "lock-gone")
				r.told = r.told[:2]
				r.sleepTo(2 * time.Second)
				left := c.DBSize(ctx).Val()
				if want := int64(4 - len(got)); left != want {
					t.Errorf("%d keys are left, want %d", left, want)
				}
			})
			if test.one && len(test.keys) > 0 {
				if len(got) != 1 || !strings.Contains(strings.Join(test.keys, " "), got[0]) {
					t.Errorf("%v was evicted, want one of %v", got, test.keys)
				}
				return
			}
			if diff := cmp.Diff(test.keys, got); diff != "" {
				t.Errorf("deleted (-want +got):\n%s", diff)
			}
		})
	}
}

// A release that hands the lock to the first of a queue grants it to that worker, with the send
// time of the request that joined the queue.
func TestALockThatIsHandedOverIsGrantedToTheWaiter(t *testing.T) {
	s := newSmall(t)
	take := goredis.NewScript(`
		if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", 1000) then return 1 end
		redis.call("RPUSH", KEYS[2], ARGV[1])
		return 0`)
	release := goredis.NewScript(`
		local first = redis.call("LPOP", KEYS[2])
		if first then redis.call("SET", KEYS[1], first, "PX", 1000) else redis.call("DEL", KEYS[1]) end
		return 1`)
	keys := []string{"lock", "queue"}
	for i, name := range []string{"worker-2", "worker-3"} {
		waiter := s.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
		waiter.Go("main", func() {
			ctx := env.WithOp(context.Background(), "acquire")
			c := client.New(waiter.Process(), at("lock"), client.Options{})
			_ = waiter.Sleep(ctx, time.Duration(i+1)*100*time.Millisecond)
			take.Run(ctx, c, keys, "owner of "+name)
		})
	}
	s.run(t, func(ctx context.Context, c *goredis.Client) {
		take.Run(ctx, c, keys, "owner of worker-1")
		for range 3 {
			_ = s.worker.Sleep(ctx, 400*time.Millisecond)
			release.Run(ctx, c, keys)
		}
	})
	var got []string
	for _, e := range s.told {
		got = append(got, fmt.Sprintf("%s %s by %s, sent at %v", e.Type, e.Owner, e.Worker, e.Sent.Truncate(100*time.Millisecond)))
	}
	want := []string{
		"granted owner of worker-1 by worker-1, sent at 0s",
		"refused owner of worker-1 by worker-2, sent at 100ms",
		"refused owner of worker-1 by worker-3, sent at 200ms",
		"freed owner of worker-1 by worker-1, sent at 400ms",
		"granted owner of worker-2 by worker-2, sent at 100ms",
		"freed owner of worker-2 by worker-1, sent at 800ms",
		"granted owner of worker-3 by worker-3, sent at 200ms",
		"freed owner of worker-3 by worker-1, sent at 1.2s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Evictions remove each of the keys sometimes.
func TestEvictionTakesAnyKey(t *testing.T) {
	r := newRig(t)
	s := r.newServer(t, PersistNone)
	stream := r.Source().Stream("evict", "lock")
	counts := map[string]int{}
	for i := range uint64(30) {
		for _, key := range []string{"a", "b", "c"} {
			s.keys.Run(s.now(), []string{"set", key, "v"})
		}
		x := stream.At(i)
		for _, key := range s.Delete("*", &x) {
			counts[key]++
		}
	}
	if len(counts) != 3 || counts["a"]+counts["b"]+counts["c"] != 30 {
		t.Errorf("30 evictions took %v", counts)
	}
}

// Stale reads stop when they begin to lag, then lag by a second. Scripts read the present data, and
// a key whose deadline has passed is missing for both.
func TestAStaleGETLags(t *testing.T) {
	r := newRig(t)
	s := r.newServer(t, PersistNone)
	r.At(10*time.Second, func() { s.SetStale(time.Second) })
	r.At(14*time.Second, func() { s.SetStale(0) })
	script := goredis.NewScript(`return redis.call("GET", KEYS[1])`)
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		read := func(when time.Duration, key, want string) {
			r.sleepTo(when)
			if got := what(ctx, c, key); got != want {
				t.Errorf("at %v, GET %s gave %s, want %s", when, key, got, want)
			}
		}
		c.Set(ctx, "k", "0", 0)
		c.Set(ctx, "short", "v", 10900*time.Millisecond) // at the server at 7 ms: gone at 10.908 s
		c.HSet(ctx, "hash", "f", "v")
		r.sleepTo(10 * time.Second)
		c.Set(ctx, "k", "1", 0) // at the server at 10.001 s
		read(10500*time.Millisecond, "k", "0")
		if got, err := script.Run(ctx, c, []string{"k"}).Text(); got != "1" || err != nil {
			t.Errorf("a script reads %q, %v", got, err)
		}
		read(10906*time.Millisecond, "short", "v")   // at 10.907 s
		read(10908*time.Millisecond, "short", "nil") // at 10.909 s
		read(10999*time.Millisecond, "k", "0")       // at 11.000 s
		read(11001*time.Millisecond, "k", "1")       // at 11.002 s
		if err := c.Get(ctx, "hash").Err(); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE ") {
			t.Errorf("GET of a hash gave %v", err)
		}
		r.sleepTo(12 * time.Second)
		c.Del(ctx, "k") // at the server at 12.001 s
		read(12500*time.Millisecond, "k", "1")
		read(13500*time.Millisecond, "k", "nil")
		r.sleepTo(13600 * time.Millisecond)
		c.Set(ctx, "k", "2", 0)
		read(13700*time.Millisecond, "k", "nil")
		read(14*time.Second, "k", "2")
	})
}

// The error replaces the answer of a command, or the answers of all commands of a pipeline. The
// commands have no effect, and the connection remains usable.
func TestAFailedCommandHasNoEffect(t *testing.T) {
	r := newRig(t)
	r.newServer(t, PersistNone)
	const text = "OOM command not allowed when used memory > 'maxmemory'."
	for _, point := range []string{"set.sent", "pipeline.sent"} {
		r.worker.OnPoint(point, 1, func() {
			if err := r.FailMessage(text); err != nil {
				t.Error(err)
			}
		})
	}
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		if err := c.Set(ctx, "k", "v", 0).Err(); err == nil || err.Error() != text {
			t.Errorf("SET gave %v", err)
		}
		cmds, err := c.Pipelined(ctx, func(p goredis.Pipeliner) error {
			p.Set(ctx, "k", "v", 0)
			p.Get(ctx, "k")
			return nil
		})
		for _, cmd := range cmds {
			if cmd.Err() == nil || cmd.Err().Error() != text {
				t.Errorf("in a pipeline, %s gave %v", cmd.Name(), cmd.Err())
			}
		}
		if err == nil {
			t.Error("the pipeline gave no error")
		}
		if got := what(ctx, c, "k"); got != "nil" {
			t.Errorf("the key holds %s", got)
		}
	})
}

// The second copy of a request has the arguments of the first, although the client has reused their
// memory for another command.
func TestADuplicateKeepsItsArguments(t *testing.T) {
	r := newRig(t)
	r.newServer(t, PersistNone)
	r.worker.OnPoint("set.sent", 1, func() {
		if err := r.DuplicateMessage(time.Second); err != nil {
			t.Error(err)
		}
	})
	r.run(t, []string{
		"5ms lock: granted lock-a 1",
		"7ms lock: freed lock-a 1",
		"1.005s lock: granted lock-a 1",
	}, func(ctx context.Context, c *goredis.Client) {
		c.Set(ctx, "lock-a", "1", 0)
		c.Del(ctx, "lock-a")
		c.Get(ctx, "lock-b")
	})
}

var _ sim.Copier = (*resp.Command)(nil)

// A script that the server does not know takes two requests. A lock counts from the first, so the history has the time of
// that one. A message takes 1 ms.
func TestTheRequestForAScriptIsSentWhenItsHashIs(t *testing.T) {
	const text = `return redis.call("SET", KEYS[1], ARGV[1], "PX", 1000)`
	keys := []string{"lock"}
	for _, tt := range []struct {
		name string
		body func(ctx context.Context, c *goredis.Client)
		want time.Duration // from the sending to the arrival
	}{
		{"the server does not know the hash", func(ctx context.Context, c *goredis.Client) {
			goredis.NewScript(text).Run(ctx, c, keys, "a")
		}, 3 * time.Millisecond},
		{"the server knows the hash", func(ctx context.Context, c *goredis.Client) {
			c.ScriptLoad(ctx, text)
			goredis.NewScript(text).Run(ctx, c, keys, "a")
		}, time.Millisecond},
		{"only the script", func(ctx context.Context, c *goredis.Client) { c.Eval(ctx, text, keys, "a") }, time.Millisecond},
		{"the hash was of another request", func(ctx context.Context, c *goredis.Client) {
			c.EvalSha(ctx, "unknown", keys, "b")
			c.Eval(ctx, text, keys, "a")
		}, time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSmall(t)
			s.run(t, func(ctx context.Context, c *goredis.Client) { tt.body(env.WithOp(ctx, "acquire"), c) })
			if got := (s.told[0].At - s.told[0].Sent).Round(time.Millisecond); got != tt.want {
				t.Errorf("the %s request was sent %v before it arrived, want %v", s.told[0].Type, got, tt.want)
			}
		})
	}
}
