package redis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/redis/client"
)

// rig is a world with lock servers and one worker, for tests of servers. A message takes 1 ms and a
// step no time: dial and HELLO take 4 ms.
type rig struct {
	*sim.World
	worker  *sim.Worker
	resolve func() string
	told    []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{World: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)}), resolve: at("lock")}
	t.Cleanup(r.Close)
	r.worker = r.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	return r
}

func (r *rig) options(how Persistence) Options {
	return Options{
		Persistence: how,
		Locks:       func(key string) bool { return strings.HasPrefix(key, "lock") },
		Record: func(e history.Event) {
			r.told = append(r.told, fmt.Sprintf("%v %s: %s %s %s", e.At, e.Node, e.Type, e.Key, e.Owner))
		},
	}
}

func (r *rig) newServer(t *testing.T, how Persistence) *Server {
	t.Helper()
	s, err := New(r.AddNode("lock", sim.NodeConfig{}), r.options(how))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs body in the worker until nothing is left to do, and compares the recorded events.
func (r *rig) run(t *testing.T, want []string, body func(ctx context.Context, c *goredis.Client)) {
	t.Helper()
	r.worker.Go("main", func() {
		body(context.Background(), client.New(r.worker.Process(), r.resolve, client.Options{}))
	})
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func (r *rig) sleepTo(when time.Duration) {
	_ = r.worker.Sleep(context.Background(), when-r.Time())
}

// what returns a key as text, "nil" if it does not exist.
func what(ctx context.Context, c *goredis.Client, key string) string {
	text, err := c.Get(ctx, key).Result()
	if err != nil {
		return strings.TrimPrefix(err.Error(), "redis: ")
	}
	return text
}

// Two locks are taken before the last whole second; after it one is released and another one taken.
// The power fails at 2.5 s and is back at 3 s.
func TestPersistenceDecidesWhatSurvivesACrash(t *testing.T) {
	before := []string{
		"1.005s lock: granted lock-a 1", // dial and HELLO before it
		"1.007s lock: granted lock-b 1",
		"2.001s lock: freed lock-a 1",
		"2.003s lock: granted lock-c 1",
	}
	for _, test := range []struct {
		name string
		how  Persistence
		data faults.Data
		told []string
		held string // of the three locks, after the restart
	}{
		{"nothing persists", PersistNone, faults.DataByPersistence, []string{
			"2.5s lock: evicted lock-b 1",
			"2.5s lock: evicted lock-c 1",
		}, "nil nil nil"},
		{"the zero value persists nothing", "", faults.DataByPersistence, []string{
			"2.5s lock: evicted lock-b 1",
			"2.5s lock: evicted lock-c 1",
		}, "nil nil nil"},
		{"every second", PersistEverySecond, faults.DataByPersistence, []string{
			"2.5s lock: granted lock-a 1", // it was released, and is there again
			"2.5s lock: evicted lock-c 1",
			"5.006s lock: expired lock-a 1",
			"5.008s lock: expired lock-b 1",
		}, "1 1 nil"},
		{"always", PersistAlways, faults.DataByPersistence, []string{
			"5.008s lock: expired lock-b 1",
			"6.004s lock: expired lock-c 1",
		}, "nil 1 1"},
		{"kept against all odds", PersistNone, faults.DataKept, []string{
			"5.008s lock: expired lock-b 1",
			"6.004s lock: expired lock-c 1",
		}, "nil 1 1"},
		{"nothing persists, and killed", PersistNone, faults.DataWritten, []string{
			"2.5s lock: evicted lock-b 1",
			"2.5s lock: evicted lock-c 1",
		}, "nil nil nil"},
		{"every second, and killed", PersistEverySecond, faults.DataWritten, []string{
			"5.008s lock: expired lock-b 1",
			"6.004s lock: expired lock-c 1",
		}, "nil 1 1"},
		{"always, and killed", PersistAlways, faults.DataWritten, []string{
			"5.008s lock: expired lock-b 1",
			"6.004s lock: expired lock-c 1",
		}, "nil 1 1"},
		{"lost against all promises", PersistAlways, faults.DataLost, []string{
			"2.5s lock: evicted lock-b 1",
			"2.5s lock: evicted lock-c 1",
		}, "nil nil nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			s := r.newServer(t, test.how)
			r.At(2500*time.Millisecond, func() { s.Crash(test.data) })
			r.At(2600*time.Millisecond, func() { s.Crash(faults.DataLost) }) // down already
			r.At(3*time.Second, s.Restart)
			r.run(t, append(before[:4:4], test.told...), func(ctx context.Context, c *goredis.Client) {
				r.sleepTo(time.Second)
				c.SetNX(ctx, "lock-a", "1", 4*time.Second)
				c.SetNX(ctx, "lock-b", "1", 4*time.Second)
				r.sleepTo(2 * time.Second)
				c.Del(ctx, "lock-a")
				c.SetNX(ctx, "lock-c", "1", 4*time.Second)
				r.sleepTo(3 * time.Second)
				held := what(ctx, c, "lock-a") + " " + what(ctx, c, "lock-b") + " " + what(ctx, c, "lock-c")
				if held != test.held {
					t.Errorf("after the restart the locks hold %s, want %s", held, test.held)
				}
			})
		})
	}
}

// A key of each type that locks use survives a crash with its deadline.
func TestACrashKeepsEveryTypeWithItsDeadline(t *testing.T) {
	r := newRig(t)
	s := r.newServer(t, PersistEverySecond)
	writes := []string{
		"SET text v PX 60000", "HSET hash f 1 g 2", "RPUSH list a b a", "SADD set x y", "ZADD zset 1.5 m -inf l", "PEXPIRE hash 30000",
	}
	reads := []struct{ command, want string }{
		{"GET text", "v"},
		{"PTTL text", "60000"},
		{"HGETALL hash", "[f 1 g 2]"},
		{"PTTL hash", "30000"},
		{"LRANGE list 0 -1", "[a b a]"},
		{"PTTL list", "-1"},
		{"SMEMBERS set", "[x y]"},
		{"ZRANGE zset 0 -1 WITHSCORES", "[l -inf m 1.5]"},
		{"DBSIZE", "5"},
	}
	// The server's clock does not move here: reads and writes happen at one time.
	now := s.now()
	for _, command := range writes {
		words := strings.Fields(command)
		s.keys.Run(now, words)
		s.log.settle()
	}
	for _, crash := range []faults.Data{faults.DataByPersistence, faults.DataWritten, faults.DataKept} {
		r.At(r.Time()+time.Second, func() { s.Crash(crash) })
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		for _, read := range reads {
			reply := s.keys.Run(now, strings.Fields(read.command))
			if got := string(reply.AppendTrace(nil)); got != read.want {
				t.Errorf("after a crash %q, %s answers %s, want %s", crash, read.command, got, read.want)
			}
		}
	}
}

// Scripts are not data: a restart loses them whatever the persistence, and go-redis falls back to
// EVAL.
func TestACrashLosesScripts(t *testing.T) {
	r := newRig(t)
	s := r.newServer(t, PersistAlways)
	script := goredis.NewScript(`return redis.call("GET", KEYS[1])`)
	r.At(time.Second, func() { s.Crash(faults.DataKept) })
	r.At(2*time.Second, s.Restart)
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		c.Set(ctx, "k", "v", 0)
		if err := script.Load(ctx, c).Err(); err != nil {
			t.Error(err)
		}
		if got, err := script.EvalSha(ctx, c, []string{"k"}).Text(); got != "v" || err != nil {
			t.Errorf("before the crash EVALSHA gave %q, %v", got, err)
		}
		r.sleepTo(2 * time.Second)
		if err := script.EvalSha(ctx, c, []string{"k"}).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOSCRIPT ") {
			t.Errorf("after the restart EVALSHA gave %v", err)
		}
		if got, err := script.Run(ctx, c, []string{"k"}).Text(); got != "v" || err != nil {
			t.Errorf("after the restart Run gave %q, %v", got, err)
		}
	})
}

// A server keeps no effect log if nothing needs it.
func TestAServerKeepsAnEffectLogOnlyIfItIsNeeded(t *testing.T) {
	for _, test := range []struct {
		how  Persistence
		want bool
	}{{PersistNone, false}, {PersistAlways, false}, {PersistEverySecond, true}} {
		s := newRig(t).newServer(t, test.how)
		if got := s.log != nil; got != test.want {
			t.Errorf("%s: a journal is kept: %v", test.how, got)
		}
		s.SetStale(time.Second)
		if s.log == nil {
			t.Errorf("%s: no journal for stale reads", test.how)
		}
		s.SetStale(0)
		if got := s.log != nil; got != test.want {
			t.Errorf("%s: after stale reads a journal is kept: %v", test.how, got)
		}
	}
}
