package zookeeper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/zookeeper/client"
	"lockquake/sim/zookeeper/wire"
)

// rig is a world with an ensemble of three, whose tick is 1 s, and the clients of some processes. A
// message takes 1 ms. At the beginning lock-3 leads.
type rig struct {
	*sim.World
	t        *testing.T
	ensemble *Ensemble
	worker   *sim.Worker
	clients  int
}

func newRig(t *testing.T, seed uint64) *rig {
	t.Helper()
	r := &rig{t: t, World: sim.New(sim.Config{Seed: seed, Latency: draw.Fixed(time.Millisecond), Limit: time.Hour})}
	t.Cleanup(r.Close)
	r.ensemble = NewEnsemble(r.World, backend.Layout{
		Names: []string{"lock-1", "lock-2", "lock-3"}, Ensemble: true, WallOffset: func(string) time.Duration { return 0 }, Record: func(history.Event) {},
	}, Options{Tick: time.Second})
	r.worker = r.AddNode("driver", sim.NodeConfig{}).Process("driver").Worker("driver")
	return r
}

// client returns a client of these servers on a node of its own.
func (r *rig) client(timeout time.Duration, servers ...string) *client.Client {
	r.clients++
	name := fmt.Sprintf("client-%d", r.clients)
	return client.New(r.AddNode(name, sim.NodeConfig{}).Process(name), servers, client.Options{Timeout: timeout})
}

// run runs a body in a task, and then stops the world.
func (r *rig) run(body func(ctx context.Context)) {
	r.t.Helper()
	r.worker.Go("main", func() {
		body(context.Background())
		r.Stop()
	})
	if err := r.Run(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) sleep(d time.Duration) { _ = r.worker.Sleep(context.Background(), d) }

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Errorf("at %v: %v", r.Time(), err)
	}
}

// cut cuts a member off from the others, in both directions.
func (r *rig) cut(member string, d time.Duration) {
	for _, other := range r.ensemble.Names() {
		if other != member {
			r.must(r.CutLink(member, other, sim.CutDrop, d))
			r.must(r.CutLink(other, member, sim.CutDrop, d))
		}
	}
}

// A session whose client is cut off ends between its timeout and one tick and a half later: a follower
// tells its leader at the next ping what it has heard, and the leader rounds up to a tick.
func TestASessionExpiresAtATickAfterItsTimeout(t *testing.T) {
	for seed := range uint64(20) {
		r := newRig(t, seed)
		r.run(func(ctx context.Context) {
			holder, other := r.client(3*time.Second, "lock-1"), r.client(10*time.Second, "lock-2")
			_, err := holder.Create(ctx, "/e", "", wire.Ephemeral)
			r.must(err)
			exists, _, gone, err := other.Exists(ctx, "/e", true)
			if err != nil || !exists {
				t.Fatalf("seed %d: the znode exists: %v, %v", seed, exists, err)
			}
			from := r.Time()
			r.must(r.CutLink("client-1", "lock-1", sim.CutDrop, time.Minute))
			r.must(gone.Wait(ctx))
			if took := r.Time() - from; took < 2*time.Second || took > 4600*time.Millisecond {
				t.Errorf("seed %d: it ended after %v", seed, took)
			}
		})
	}
}

// A leader that is cut off from the others loses its place, and commits nothing. The others elect
// another one, and no session ends.
func TestALeaderWithoutAMajorityIsReplaced(t *testing.T) {
	r := newRig(t, 1)
	r.run(func(ctx context.Context) {
		a, b := r.client(10*time.Second, "lock-3"), r.client(10*time.Second, "lock-1", "lock-2")
		_, err := a.Create(ctx, "/e", "", wire.Ephemeral)
		r.must(err)
		_, err = b.Create(ctx, "/f", "", wire.Ephemeral)
		r.must(err)
		r.cut("lock-3", time.Minute)
		if _, err := a.Create(ctx, "/lost", "", wire.Persistent); err != client.ErrConnectionClosed { //nolint:errorlint // the client returns it as it is
			t.Errorf("a write without a majority: %v", err)
		}
		r.sleep(2 * time.Second)
		exists, stat, _, err := b.Exists(ctx, "/lost", false)
		if err != nil || exists {
			t.Errorf("the write of the old leader: %v, %v, %v", exists, stat, err)
		}
		_, err = b.Create(ctx, "/g", "", wire.Persistent)
		r.must(err)
		if l := r.ensemble.leader(); l == nil || l.member.id == 3 {
			t.Error("there is no other leader")
		}
		if exists, _, _, err := b.Exists(ctx, "/e", false); err != nil || !exists {
			t.Errorf("the znode of a session that cannot be heard, right after an election: %v, %v", exists, err)
		}
	})
}

// A read may be stale. After a sync it is not.
func TestASyncEndsTheLagOfAMember(t *testing.T) {
	r := newRig(t, 1)
	r.run(func(ctx context.Context) {
		reader, writer := r.client(10*time.Second, "lock-1"), r.client(10*time.Second, "lock-2")
		_, err := writer.Create(ctx, "/a", "1", wire.Persistent)
		r.must(err)
		r.must(reader.Sync(ctx, "/"))
		r.ensemble.SetStale("lock-1", time.Second)
		_, err = writer.Set(ctx, "/a", "2", -1)
		r.must(err)
		if data, _, _, err := reader.Get(ctx, "/a", false); err != nil || data != "1" {
			t.Errorf("before the sync: %q, %v", data, err)
		}
		r.must(reader.Sync(ctx, "/"))
		if data, _, _, err := reader.Get(ctx, "/a", false); err != nil || data != "2" {
			t.Errorf("after the sync: %q, %v", data, err)
		}
	})
}

// A client that has seen a transaction does not connect to a member that has not.
func TestAClientDoesNotGoBackInTime(t *testing.T) {
	r := newRig(t, 1)
	r.run(func(ctx context.Context) {
		c := r.client(10*time.Second, "lock-1", "lock-2")
		_, err := c.Create(ctx, "/a", "1", wire.Persistent)
		r.must(err)
		for _, m := range r.ensemble.members[:2] {
			if len(m.conns) > 0 {
				continue // the member that it uses
			}
			r.ensemble.SetStale(m.node.Name(), 5*time.Second)
		}
		_, err = c.Set(ctx, "/a", "2", -1)
		r.must(err)
		for _, m := range r.ensemble.members[:2] {
			for _, conn := range m.conns {
				conn.farewell()
			}
		}
		for {
			data, _, _, err := c.Get(ctx, "/a", false)
			if err == nil && data != "2" {
				t.Errorf("it reads %q at %v", data, r.Time())
			}
			if err == nil {
				return
			}
		}
	})
}

// Whatever happens to members and their links, all of them have the same tree in the end, and it has
// every write that was answered with success.
func TestMembersAgreeAfterFaults(t *testing.T) {
	for seed := range uint64(100) {
		r := newRig(t, seed)
		random := rand.New(rand.NewPCG(seed, 0))
		pick := func() string { return r.ensemble.Names()[random.IntN(3)] }
		length := func() time.Duration { return time.Duration(random.Int64N(int64(9 * time.Second))) }
		for range 12 {
			r.At(time.Duration(random.Int64N(int64(60*time.Second))), func() {
				switch random.IntN(6) {
				case 0:
					r.ensemble.Crash([]string{pick()}, "", length())
				case 1:
					r.ensemble.ChangeLeader(length())
				case 2:
					r.cut(pick(), length())
				case 3:
					r.Node(pick()).Freeze(length())
				case 4:
					r.must(r.CutLink(pick(), pick(), sim.CutHold, length()))
				case 5:
					name := pick()
					r.ensemble.SetStale(name, length()/4)
					r.At(r.Time()+length(), func() { r.ensemble.SetStale(name, 0) })
				}
			})
		}
		written := map[string]bool{}
		r.run(func(ctx context.Context) {
			for i := range 3 {
				c := r.client(5*time.Second, r.ensemble.Names()...)
				r.worker.Go("writer", func() {
					for n := range 100 {
						path := fmt.Sprintf("/w-%d-%d", i, n)
						if _, err := c.Create(ctx, path, "", wire.Persistent); err == nil {
							written[path] = true
						}
						r.sleep(500 * time.Millisecond)
					}
				})
			}
			r.sleep(5 * time.Minute)
			first := r.ensemble.members[0].tree
			for _, m := range r.ensemble.members[1:] {
				a, b := first.Clone(), m.tree.Clone()
				if !reflect.DeepEqual(a, b) {
					t.Errorf("seed %d: %s has another tree than lock-1: zxid %x and %x", seed, m.node.Name(), b.Zxid(), a.Zxid())
				}
			}
			for path := range written {
				if _, ok := first.Stat(path); !ok {
					t.Errorf("seed %d: %s is lost", seed, path)
				}
			}
			if len(written) < 100 {
				t.Errorf("seed %d: only %d writes have succeeded", seed, len(written))
			}
		})
	}
}

// A throttled request is not executed. Its answer does not overtake those to earlier requests, and the session goes
// on.
func TestAThrottledRequestHasNoEffectAndKeepsItsTurn(t *testing.T) {
	r := newRig(t, 1)
	c := r.client(10*time.Second, "lock-1")
	fail := func() { r.must(r.FailMessage("any text")) }
	r.worker.OnPoint("getChildren.sent", 1, fail)
	r.worker.OnPoint("create.sent", 2, fail)
	r.run(func(ctx context.Context) {
		var order []string
		first := r.worker.Go("create", func() {
			_, err := c.Create(ctx, "/a", "", wire.Persistent) // a write takes longer than a read, since a majority has to accept it
			order = append(order, fmt.Sprint("create ", err))
		})
		for c.Status().Session == 0 {
			r.sleep(time.Millisecond)
		}
		_, _, _, err := c.Children(ctx, "/", false)
		order = append(order, fmt.Sprint("list ", err))
		r.must(first.Acquire(ctx))
		if want := []string{"create <nil>", "list the operation was throttled"}; !reflect.DeepEqual(order, want) {
			t.Errorf("got the answers %q, want %q", order, want)
		}

		session := c.Status().Session
		if _, err := c.Create(ctx, "/b", "", wire.Persistent); err != wire.ErrThrottledOp { //nolint:errorlint // the client returns the code itself
			t.Errorf("got %v, want %v", err, wire.ErrThrottledOp)
		}
		exists, _, _, err := c.Exists(ctx, "/b", false)
		if r.must(err); exists || c.Status().Session != session {
			t.Errorf("the throttled create had an effect: exists %v, session %x, before %x", exists, c.Status().Session, session)
		}
	})
}

// The first request of a connection has no such answer: the member closes the connection.
func TestAThrottledConnectEndsTheConnection(t *testing.T) {
	r := newRig(t, 1)
	r.worker.OnPoint("hello.sent", 1, func() { r.must(r.FailMessage("any text")) })
	r.run(func(ctx context.Context) {
		conn, err := r.worker.Process().Dial(ctx, "lock-1", 0)
		r.must(err)
		r.must(conn.Send("hello", &wire.Request{Op: wire.Op{Kind: wire.Connect}, Timeout: 10 * time.Second}))
		answer, err := conn.Receive(ctx, time.Second)
		r.must(err)
		if want := (&wire.Reply{Closed: true}); !reflect.DeepEqual(answer, want) {
			t.Errorf("got %+v, want %+v", answer, want)
		}
	})
}

// A leader that loses its place as a write takes effect does not answer it. A majority has accepted the write, so the
// next leader commits it.
func TestTheNextLeaderCommitsWhatWasAccepted(t *testing.T) {
	r := newRig(t, 1)
	c := r.client(10*time.Second, "lock-1")
	r.worker.OnPoint("create.applied", 1, func() { r.ensemble.ChangeLeader(time.Second) })
	r.run(func(ctx context.Context) {
		if _, err := c.Create(ctx, "/a", "", wire.Persistent); err == nil {
			t.Error("a leader that had lost its place answered")
		}
		r.sleep(5 * time.Second) // until another member leads
		for _, server := range r.ensemble.Names() {
			exists, _, _, err := r.client(10*time.Second, server).Exists(ctx, "/a", false)
			if r.must(err); !exists {
				t.Errorf("%s does not have the write", server)
			}
		}
	})
}
