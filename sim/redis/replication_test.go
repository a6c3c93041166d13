package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/redis/client"
	"lockquake/sim/redis/resp"
)

// newGroup adds a primary and a replica 10 ms behind it. The worker's client follows failovers.
func (r *rig) newGroup(t *testing.T, o Options, clock sim.NodeConfig) *Group {
	t.Helper()
	g, err := NewReplicated(r.AddNode("lock", sim.NodeConfig{}), r.AddNode("lock-replica", clock), o, Replication{
		Lag: draw.Fixed(10 * time.Millisecond),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.resolve = g.Resolve
	return g
}

// holds returns a server's data, key by key and by its own clock, without a command.
func holds(s *Server) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(s.images())) {
		text, _ := s.watch.value(key)
		all = append(all, key+"="+text)
	}
	return strings.Join(all, " ")
}

// A lock is granted at 1.005 s, and the replica has it at 1.015 s. The primary crashes before or
// after that, and the replica is promoted a second later.
func TestAFailoverLosesWritesWithinTheLag(t *testing.T) {
	for _, test := range []struct {
		name  string
		crash time.Duration
		told  []string
		held  string
	}{
		{"inside the lag", 1014 * time.Millisecond, []string{"2.014s lock: evicted lock 1"}, "nil"},
		{"outside the lag", 1016 * time.Millisecond, []string{"4.006s lock: expired lock 1"}, "1"},
		// A lock that is freed within the lag is granted again.
		{"inside the lag of the release", 1504 * time.Millisecond, []string{
			"1.501s lock: freed lock 1", "2.504s lock: granted lock 1", "4.006s lock: expired lock 1",
		}, "1"},
		{"outside the lag of the release", 1512 * time.Millisecond, []string{"1.501s lock: freed lock 1"}, "nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			g := r.newGroup(t, r.options(PersistAlways), sim.NodeConfig{})
			r.At(test.crash, func() { g.Primary().Crash(faults.DataByPersistence) })
			r.At(test.crash+time.Second, func() {
				if !g.Promote() {
					t.Error("not promoted")
				}
			})
			r.run(t, append([]string{"1.005s lock: granted lock 1"}, test.told...), func(ctx context.Context, c *goredis.Client) {
				r.sleepTo(time.Second)
				c.SetNX(ctx, "lock", "1", 3*time.Second)
				r.sleepTo(1500 * time.Millisecond)
				c.Del(ctx, "lock") // not recorded if the crash was before
				r.sleepTo(3 * time.Second)
				if got := what(ctx, c, "lock"); got != test.held {
					t.Errorf("after the failover the lock holds %s, want %s", got, test.held)
				}
			})
			if g.Resolve() != "lock-replica" {
				t.Errorf("the primary is %s", g.Resolve())
			}
		})
	}
}

// A lock that expires while no server is up is not granted again by a replica that still has it.
func TestAFailoverDoesNotReviveAnExpiredLock(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	r.At(100*time.Millisecond, func() { g.Primary().Crash(faults.DataByPersistence) })
	r.At(time.Second, func() { g.Promote() })
	r.run(t, []string{"5ms lock: granted lock 1", "506ms lock: expired lock 1"}, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock", "1", 500*time.Millisecond)
		r.sleepTo(2 * time.Second)
		if got := what(ctx, c, "lock"); got != "nil" {
			t.Errorf("the lock holds %s", got)
		}
	})
}

// A frozen primary that is replaced breaks its clients' connections, and follows when it goes on.
func TestAFrozenPrimaryThatIsReplacedFollows(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	r.At(100*time.Millisecond, func() { g.Primary().node.Freeze(time.Second) })
	r.At(500*time.Millisecond, func() { g.Promote() })
	r.run(t, []string{"5ms lock: granted lock-a 1", "505ms lock: granted lock-b 1"}, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock-a", "1", 0)
		r.sleepTo(200 * time.Millisecond)
		if got := what(ctx, c, "lock-a"); !strings.Contains(got, "reset") || r.Time() != 500*time.Millisecond {
			t.Errorf("the command under way gave %s at %v", got, r.Time())
		}
		c.SetNX(ctx, "lock-b", "1", 0)
		r.sleepTo(1099 * time.Millisecond)
		if got := holds(g.Replica()); got != "lock-a=1" {
			t.Errorf("while it is frozen the old primary holds %s", got)
		}
		r.sleepTo(1101 * time.Millisecond)
		if got := holds(g.Replica()); got != "lock-a=1 lock-b=1" {
			t.Errorf("the old primary holds %s", got)
		}
	})
}

// A promoted replica expires keys by its own clock: one that is 500 ms ahead does so earlier by
// that, and removes a key that is past its deadline at once.
func TestAPromotedReplicaExpiresByItsOwnClock(t *testing.T) {
	for _, test := range []struct {
		ahead time.Duration
		told  string
	}{
		{0, "1.006s lock: expired lock 1"}, // its deadline is 1.005 s
		{500 * time.Millisecond, "506ms lock: expired lock 1"},
		{900 * time.Millisecond, "200ms lock: expired lock 1"},
		{-500 * time.Millisecond, "1.506s lock: expired lock 1"},
	} {
		r := newRig(t)
		g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{WallOffset: test.ahead})
		r.At(200*time.Millisecond, func() { g.Promote() })
		r.run(t, []string{"5ms lock: granted lock 1", test.told}, func(ctx context.Context, c *goredis.Client) {
			c.SetNX(ctx, "lock", "1", time.Second)
		})
	}
}

// The old primary is alive and breaks its clients' connections, one during a command. It follows
// the new primary, and can be promoted in turn.
func TestAPromotionDisconnectsTheOldPrimarysClients(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	r.worker.OnPoint("get.replied", 1, func() { g.Promote() })
	r.run(t, []string{"5ms lock: granted lock-a 1", "1.003s lock: granted lock-b 1"}, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock-a", "1", 0)
		r.sleepTo(500 * time.Millisecond)
		if got := what(ctx, c, "lock-a"); !strings.Contains(got, "reset") {
			t.Errorf("the command under way gave %s", got)
		}
		r.sleepTo(998 * time.Millisecond)
		c.SetNX(ctx, "lock-b", "1", 0) // dial and HELLO again
		r.sleepTo(1100 * time.Millisecond)
		if a, b := holds(g.Primary()), holds(g.Replica()); a != "lock-a=1 lock-b=1" || b != a || g.Replica().node.Name() != "lock" {
			t.Errorf("the new primary holds %s, the old one %s", a, b)
		}
		g.Promote()
		if g.Resolve() != "lock" {
			t.Errorf("the primary is %s", g.Resolve())
		}
		if got := what(ctx, c, "lock-b"); got != "1" {
			t.Errorf("after the second failover the lock holds %s", got)
		}
	})
}

// A primary that restarts before it is replaced sends its replica all that it has left: without
// data, both are empty.
func TestAPrimaryThatRestartsSynchronisesItsReplica(t *testing.T) {
	for _, test := range []struct {
		data faults.Data
		told []string
		held string
	}{
		{faults.DataKept, nil, "lock=1"},
		{faults.DataLost, []string{"2s lock: evicted lock 1"}, ""},
	} {
		r := newRig(t)
		g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
		r.At(time.Second, func() { g.Primary().Crash(test.data) })
		r.At(1900*time.Millisecond, func() {
			if got := holds(g.Replica()); got != "lock=1" {
				t.Errorf("the replica holds %q while its primary is down", got)
			}
		})
		r.At(2*time.Second, g.Primary().Restart)
		r.run(t, append([]string{"5ms lock: granted lock 1"}, test.told...), func(ctx context.Context, c *goredis.Client) {
			c.SetNX(ctx, "lock", "1", 0)
		})
		if a, b := holds(g.Primary()), holds(g.Replica()); a != test.held || b != test.held {
			t.Errorf("the primary holds %q, the replica %q, want %q", a, b, test.held)
		}
	}
}

// A replica that was down receives all data after its restart, and cannot be promoted before.
func TestAReplicaThatRestartsReceivesAllData(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	replica := g.Replica()
	r.At(time.Second, func() { replica.Crash(faults.DataByPersistence) })
	r.At(2*time.Second, func() {
		if holds(replica) != "" || g.Promote() {
			t.Errorf("a replica that is down holds %q, or was promoted", holds(replica))
		}
	})
	r.At(3*time.Second, replica.Restart)
	r.At(3009*time.Millisecond, func() {
		if got := holds(replica); got != "" {
			t.Errorf("just before the lag is over, the replica holds %q", got)
		}
	})
	r.run(t, []string{"5ms lock: granted lock-a 1", "1.501s lock: granted lock-b 1"}, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock-a", "1", 0)
		r.sleepTo(1500 * time.Millisecond)
		c.SetNX(ctx, "lock-b", "1", 0)
	})
	if got := holds(replica); got != "lock-a=1 lock-b=1" {
		t.Errorf("the replica holds %q", got)
	}
}

// The replica receives effects in order: of scripts, of pipelines, of the clock, and of third
// parties.
func TestEffectsAreReplicated(t *testing.T) {
	r := newRig(t)
	o := r.options(PersistEverySecond)
	o.Locks = func(string) bool { return false }
	g := r.newGroup(t, o, sim.NodeConfig{})
	script := goredis.NewScript(`redis.call("HSET", KEYS[1], "f", ARGV[1]) return redis.call("INCR", KEYS[2])`)
	same := func(ctx context.Context, keys string) {
		_ = r.worker.Sleep(ctx, 20*time.Millisecond)
		if a, b := holds(g.Primary()), holds(g.Replica()); a != keys || b != keys {
			t.Errorf("at %v the primary holds %q, the replica %q, want %q", r.Time(), a, b, keys)
		}
	}
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		script.Run(ctx, c, []string{"h", "n"}, "v")
		same(ctx, "h=<hash> n=1")
		c.TxPipelined(ctx, func(p goredis.Pipeliner) error {
			p.Incr(ctx, "n")
			p.Del(ctx, "h")
			p.Set(ctx, "short", "x", 50*time.Millisecond)
			return nil
		})
		same(ctx, "n=2 short=x")
		_ = r.worker.Sleep(ctx, 50*time.Millisecond)
		if got := what(ctx, c, "short"); got != "nil" {
			t.Errorf("past its deadline, the key holds %s", got)
		}
		same(ctx, "n=2")
		g.Primary().Delete("*", nil)
		same(ctx, "")
		c.Set(ctx, "n", "1", 0)
		c.FlushAll(ctx)
		c.RPush(ctx, "l", 1)
		same(ctx, "l=<list>")
		writes := g.offset
		c.LRange(ctx, "l", 0, -1)
		c.Get(ctx, "n")
		c.SetXX(ctx, "n", "1", 0)
		if g.offset != writes {
			t.Errorf("reads and a refusal were replicated %d times", g.offset-writes)
		}
	})
}

// If a command finds a key expired and writes it again, the replica and the disk have the new
// value.
func TestEffectsBesideAnExpiryAreReplicated(t *testing.T) {
	r := newRig(t)
	o := r.options(PersistEverySecond)
	o.Locks = func(string) bool { return false }
	g := r.newGroup(t, o, sim.NodeConfig{})
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		c.Set(ctx, "b", "old", 50*time.Millisecond)
		_ = r.worker.Sleep(ctx, 60*time.Millisecond)
		c.MSet(ctx, "a", "new", "b", "new", "c", "new")
		_ = r.worker.Sleep(ctx, 20*time.Millisecond)
		if got := holds(g.Replica()); got != "a=new b=new c=new" {
			t.Errorf("the replica holds %q", got)
		}
	})
	r.At(2*time.Second, func() { g.Primary().Crash(faults.DataByPersistence) })
	r.At(3*time.Second, g.Primary().Restart)
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	if got := holds(g.Primary()); got != "a=new b=new c=new" {
		t.Errorf("after a crash the primary holds %q", got)
	}
}

// A replica answers reads by its own clock, refuses writes, and keeps expired keys until its
// primary removes them. Commands to it cause no lock events.
func TestAReplicaAnswersReadsAndRefusesWrites(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{WallOffset: 500 * time.Millisecond})
	g.Replica().SetStale(time.Second) // has no effect on a replica
	r.run(t, []string{"5ms lock: granted lock 1", "1.006s lock: expired lock 1"}, func(ctx context.Context, c *goredis.Client) {
		c.SetNX(ctx, "lock", "1", time.Second)
		replica := client.New(r.worker.Process(), at("lock-replica"), client.Options{})
		r.sleepTo(100 * time.Millisecond)
		if got := what(ctx, replica, "lock"); got != "1" {
			t.Errorf("the replica answers %s", got)
		}
		if err := replica.SetNX(ctx, "lock-b", "1", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "READONLY ") {
			t.Errorf("the replica answers a write by %v", err)
		}
		r.sleepTo(600 * time.Millisecond) // 1.1 s at the replica
		if got := what(ctx, replica, "lock"); got != "nil" {
			t.Errorf("past the deadline by its own clock, the replica answers %s", got)
		}
		if got := holds(g.Replica()); got != "lock=1" {
			t.Errorf("the replica holds %q", got)
		}
	})
}

// A WAIT covers all writes, by anybody, up to the last command of its connection, and none if the
// connection has sent no command yet.
func TestWAITCoversTheWritesOfOthers(t *testing.T) {
	r := newRig(t)
	g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	r.At(100*time.Millisecond, func() { g.Replica().node.Freeze(time.Minute) })
	r.worker.Go("main", func() {
		ctx := context.Background()
		dial := func() func(words ...string) string {
			c, err := r.worker.Process().Dial(ctx, "lock", 0)
			if err != nil {
				t.Error(err)
			}
			return func(words ...string) string {
				answer, err := c.Call(ctx, "do", &resp.Command{Args: words}, 0)
				if err != nil {
					return err.Error()
				}
				return string(answer.(*resp.Reply).AppendRESP(nil))
			}
		}
		a, b := dial(), dial()
		b("GET", "k")
		r.sleepTo(200 * time.Millisecond)
		a("SET", "k", "v")
		var got []string
		wait := func(do func(...string) string) { got = append(got, strings.TrimSpace(do("WAIT", "1", "10"))) }
		wait(a)
		wait(b) // what it has seen is there
		wait(b) // and that was a command too
		fresh := dial()
		wait(fresh)
		fresh("PING")
		wait(fresh)
		if diff := cmp.Diff([]string{":0", ":1", ":0", ":1", ":0"}, got); diff != "" {
			t.Errorf("WAIT (-want +got):\n%s", diff)
		}
	})
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
}

// A cut between the two holds writes back until it heals, and a frozen replica applies them when it
// goes on. They are not acknowledged before.
func TestWritesWaitForACutOrAFrozenReplica(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(r *rig, g *Group) error // from 0 s to 2 s
	}{
		{"partition", func(r *rig, _ *Group) error { return r.CutLink("lock", "lock-replica", sim.CutDrop, 2*time.Second) }},
		{"freeze", func(_ *rig, g *Group) error {
			g.Replica().node.Freeze(2 * time.Second)
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
			if err := test.fault(r, g); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, when := range []time.Duration{1999 * time.Millisecond, 2001 * time.Millisecond} {
				r.At(when, func() { got = append(got, fmt.Sprintf("%v %q %d", r.Time(), holds(g.Replica()), g.acked)) })
			}
			r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
				c.Set(ctx, "a", "1", 0)
				c.Set(ctx, "a", "2", 0)
				c.Set(ctx, "b", "3", 0)
			})
			want := []string{`1.999s "" 0`, `2.001s "a=2 b=3" 3`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// WAIT counts the replicas that have all writes up to the last command of its connection. The
// worker has two connections, one for pipelines, and a message takes 1 ms each way: the SET of a
// pipeline that is sent at 1 s reaches the server at 1.005 s and is acknowledged at 1.015 s, if
// there is a replica.
func TestWAITCountsReplicasThatHaveTheLastWrite(t *testing.T) {
	type reply struct {
		n  int64
		at time.Duration
	}
	pipelined := func(replicas int, timeout time.Duration) func(context.Context, *goredis.Client) (int64, error) {
		return func(ctx context.Context, c *goredis.Client) (int64, error) {
			var n *goredis.Cmd
			_, err := c.Pipelined(ctx, func(p goredis.Pipeliner) error {
				p.Set(ctx, "k", "v", 0)
				n = p.Do(ctx, "WAIT", replicas, timeout.Milliseconds())
				p.Get(ctx, "k")
				return nil
			})
			if err != nil {
				return 0, err
			}
			return n.Int64()
		}
	}
	alone := func(replicas int, timeout time.Duration) func(context.Context, *goredis.Client) (int64, error) {
		return func(ctx context.Context, c *goredis.Client) (int64, error) {
			return c.Wait(ctx, replicas, timeout).Result()
		}
	}
	for _, test := range []struct {
		name    string
		replica bool
		down    bool // the replica
		ask     func(context.Context, *goredis.Client) (int64, error)
		want    reply
	}{
		{"in time", true, false, pipelined(1, 50*time.Millisecond), reply{1, 1016 * time.Millisecond}},
		{"too late", true, false, pipelined(1, 5*time.Millisecond), reply{0, 1011 * time.Millisecond}},
		{"more than there are", true, false, pipelined(2, 50*time.Millisecond), reply{1, 1056 * time.Millisecond}},
		{"without limit", true, false, pipelined(1, 0), reply{1, 1016 * time.Millisecond}},
		{"for none", true, false, pipelined(0, 0), reply{0, 1006 * time.Millisecond}},
		{"a replica that is down", true, true, pipelined(1, 50*time.Millisecond), reply{0, 1056 * time.Millisecond}},
		{"no replica", false, false, pipelined(1, 50*time.Millisecond), reply{0, 1056 * time.Millisecond}},
		{"no replica, for none", false, false, pipelined(0, 50*time.Millisecond), reply{0, 1006 * time.Millisecond}},
		{"nothing written", true, false, alone(1, 50*time.Millisecond), reply{1, 1006 * time.Millisecond}},
		{"nothing written, and a replica that is down", true, true, alone(1, 50*time.Millisecond), reply{0, 1056 * time.Millisecond}},
		{"longer than any other command may take", false, false, alone(1, 8*time.Second), reply{0, 9006 * time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			if test.replica {
				g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
				if test.down {
					g.Replica().Crash(faults.DataKept)
				}
			} else {
				r.newServer(t, PersistNone)
			}
			r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
				r.sleepTo(time.Second)
				n, err := test.ask(ctx, c)
				if got := (reply{n, r.Time()}); got != test.want || err != nil {
					t.Errorf("WAIT answered %v, %v, want %v", got, err, test.want)
				}
			})
		})
	}
}

// A WAIT in a transaction does not block. It counts the replicas that had all earlier writes.
func TestWAITInATransactionDoesNotBlock(t *testing.T) {
	r := newRig(t)
	r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
	r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
		var n *goredis.Cmd
		_, err := c.TxPipelined(ctx, func(p goredis.Pipeliner) error {
			p.Set(ctx, "k", "v", 0)
			n = p.Do(ctx, "WAIT", 1, 50)
			return nil
		})
		if got, _ := n.Int64(); got != 1 || err != nil || r.Time() != 6*time.Millisecond {
			t.Errorf("in a transaction WAIT answered %d, %v at %v", got, err, r.Time())
		}
	})
}

// A crash or a failover breaks the connection of a WAIT, which is never answered.
func TestACrashOrFailoverEndsAWAIT(t *testing.T) {
	for name, strike := range map[string]func(g *Group){
		"crash":    func(g *Group) { g.Primary().Crash(faults.DataKept) },
		"failover": func(g *Group) { g.Promote() },
	} {
		r := newRig(t)
		g := r.newGroup(t, r.options(PersistNone), sim.NodeConfig{})
		r.At(100*time.Millisecond, func() { strike(g) })
		r.run(t, nil, func(ctx context.Context, c *goredis.Client) {
			if err := c.Wait(ctx, 2, time.Second).Err(); err == nil || r.Time() != 100*time.Millisecond {
				t.Errorf("%s: WAIT gave %v at %v", name, err, r.Time())
			}
		})
	}
}
