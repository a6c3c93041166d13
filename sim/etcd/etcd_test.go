package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/internal/twoworlds"
	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/backend"
	simetcd "lockquake/sim/etcd"
	"lockquake/sim/etcd/client"
)

// rig is a simulated cluster of three members with the default timeouts, and a client of each member.
type rig struct {
	*simetcd.Cluster
	t       *testing.T
	worker  *sim.Worker
	members map[string]etcd.Client
}

// onCluster runs a script on a cluster.
func onCluster(t *testing.T, script func(r *rig)) {
	t.Helper()
	w := sim.New(sim.Config{Seed: 1, Latency: draw.Fixed(time.Millisecond), Limit: time.Hour})
	defer w.Close()
	names := []string{"lock-1", "lock-2", "lock-3"}
	r := &rig{t: t, members: map[string]etcd.Client{}}
	r.Cluster = simetcd.NewCluster(w, backend.Layout{
		Names: names, Ensemble: true, WallOffset: func(string) time.Duration { return 0 }, Record: func(history.Event) {},
	}, simetcd.Options{Heartbeat: 100 * time.Millisecond, Election: time.Second})
	node := w.AddNode("client", sim.NodeConfig{})
	for _, name := range names {
		r.members[name] = client.New(node.Process("of "+name), []string{name}, client.Options{RequestTimeout: time.Minute, Retries: -1})
	}
	r.worker = node.Process("script").Worker("script")
	r.worker.Go("script", func() {
		script(r)
		w.Stop()
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
}

// do sends a request to a member, and returns the answer, the error, and how long it took.
func (r *rig) do(member string, q etcd.Request) (*etcd.Response, time.Duration, error) {
	began := r.World.Time()
	answer, err := r.members[member].Do(context.Background(), q)
	return answer, r.World.Time() - began, err
}

// must sends a request that succeeds.
func (r *rig) must(member string, q etcd.Request) *etcd.Response {
	r.t.Helper()
	answer, _, err := r.do(member, q)
	if err != nil {
		r.t.Fatalf("%T at %s: %v", q, member, err)
	}
	return answer
}

func (r *rig) sleep(d time.Duration) { _ = r.worker.Sleep(context.Background(), d) }

// others returns the members but one.
func (r *rig) others(member string) (all []string) {
	for _, name := range r.Names() {
		if name != member {
			all = append(all, name)
		}
	}
	return all
}

// cut cuts a member off from the others.
func (r *rig) cut(member string, d time.Duration) {
	for _, other := range r.others(member) {
		for _, link := range [][2]string{{member, other}, {other, member}} {
			if err := r.World.CutLink(link[0], link[1], sim.CutDrop, d); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

func get(local bool) *etcd.Range { return &etcd.Range{Keys: etcd.Keys{Key: "k"}, Serializable: local} }

// A follower that is cut off answers serializable reads from the state that it had, and gives up
// anything else after 7 s. After the cut it has what it has missed.
func TestAFollowerThatIsCutOff(t *testing.T) {
	onCluster(t, func(r *rig) {
		follower := r.others(r.Leader())[0]
		leader := r.Leader()
		r.must(leader, &etcd.Put{Key: "k", Value: "old"})
		r.sleep(100 * time.Millisecond)
		r.cut(follower, 20*time.Second)
		r.must(leader, &etcd.Put{Key: "k", Value: "new"})
		if v := r.must(follower, get(true)).KVs[0].Value; v != "old" {
			t.Errorf("a serializable read answers %q", v)
		}
		for _, q := range []etcd.Request{get(false), &etcd.Put{Key: "k", Value: "lost"}} {
			if _, took, err := r.do(follower, q); !errors.Is(err, etcd.ErrTimeout()) || took < 7*time.Second || took > 7100*time.Millisecond {
				t.Errorf("%T answers %v after %v", q, err, took)
			}
		}
		if r.Leader() != leader {
			t.Errorf("%s leads in the place of %s", r.Leader(), leader)
		}
		r.sleep(8 * time.Second)
		if v := r.must(follower, get(false)).KVs[0].Value; v != "new" {
			t.Errorf("after the cut a read answers %q", v)
		}
	})
}

// A leader that is cut off renews leases until it steps down, and the others elect another one. What the
// old leader has not committed is lost.
func TestALeaderThatIsCutOff(t *testing.T) {
	onCluster(t, func(r *rig) {
		old := r.Leader()
		id := r.must(old, &etcd.Grant{TTL: 5}).ID
		r.cut(old, 20*time.Second)
		if ttl := r.must(old, &etcd.KeepAlive{ID: id}).TTL; ttl != 5 {
			t.Errorf("the old leader renews for %d s", ttl)
		}
		if _, _, err := r.do(old, &etcd.Put{Key: "k", Value: "lost"}); !errors.Is(err, etcd.ErrTimeout()) {
			t.Errorf("a put answers %v", err)
		}
		if r.Leader() == old || r.Leader() == "" {
			t.Errorf("the leader is %q", r.Leader())
		}
		if _, _, err := r.do(old, &etcd.KeepAlive{ID: id}); !errors.Is(err, etcd.ErrNoLeader()) {
			t.Errorf("a renewal answers %v", err)
		}
		r.sleep(10 * time.Second)
		if n := r.must(old, get(false)).Count; n != 0 {
			t.Errorf("the put took effect")
		}
	})
}

// Two members of three go on, and one does not. All three keep their data.
func TestCrashesOfMembers(t *testing.T) {
	onCluster(t, func(r *rig) {
		r.must("lock-1", &etcd.Put{Key: "k", Value: "v"})
		first := r.Leader()
		r.Crash([]string{first}, faults.DataByPersistence, 20*time.Second)
		rest := r.others(first)
		r.sleep(3 * time.Second)
		r.must(rest[0], &etcd.Put{Key: "k", Value: "w"})
		r.Crash(rest[1:], faults.DataByPersistence, 10*time.Second)
		r.sleep(3 * time.Second)
		if _, _, err := r.do(rest[0], get(false)); !errors.Is(err, etcd.ErrTimeout()) {
			t.Errorf("a member alone answers %v", err)
		}
		r.sleep(15 * time.Second)
		for _, name := range r.Names() {
			if kv := r.must(name, get(false)).KVs[0]; kv.Value != "w" || kv.Version != 2 {
				t.Errorf("%s answers %+v", name, kv)
			}
		}
		before := r.must("lock-1", &etcd.Grant{TTL: 60}).ID
		r.Crash(r.Names(), faults.DataLost, time.Second)
		r.sleep(5 * time.Second)
		if after := r.must("lock-1", &etcd.Grant{TTL: 60}).ID; after == before {
			t.Errorf("without its data the cluster gives lease %d again", after)
		}
		if a := r.must("lock-1", get(false)); a.Count != 0 || a.Revision != 1 {
			t.Errorf("without its data the cluster answers %s", fmt.Sprint(*a))
		}
	})
}

// While a watch connects, its connection and the one for requests are reset. The request that finds this
// first connects again, and so does the watch.
func TestAResetWhileAWatchConnects(t *testing.T) {
	onCluster(t, func(r *rig) {
		r.must("lock-1", &etcd.Put{Key: "k", Value: "v"})
		done := r.worker.Go("watch", func() {
			if _, err := r.members["lock-1"].Watch(context.Background(), &etcd.Watch{Keys: etcd.Keys{Key: "k"}}); !errors.Is(err, sim.ErrReset) {
				t.Errorf("the watch answers %v", err)
			}
		})
		r.sleep(100 * time.Microsecond)
		if err := r.World.Reset("client", "lock-1"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.do("lock-1", get(false)); err != nil {
			t.Errorf("the request answers %v", err)
		}
		_ = done.Acquire(context.Background())
		if _, err := r.members["lock-1"].Watch(context.Background(), &etcd.Watch{Keys: etcd.Keys{Key: "k"}}); err != nil {
			t.Errorf("the next watch answers %v", err)
		}
	})
}

// All renewals of a client go to one member. While that member is stopped they get no answer, and the other members do not
// help. When it is killed the client learns that, and renews at another member.
func TestAllRenewalsOfAClientGoToOneMember(t *testing.T) {
	onCluster(t, func(r *rig) {
		id := r.must(r.Leader(), &etcd.Grant{TTL: 600}).ID
		once := func(c etcd.Client) error {
			_, err := c.Do(context.Background(), &etcd.KeepAlive{ID: id})
			return err
		}
		renew := func(c etcd.Client) error { // each time with another member, if there were no stream
			return twoworlds.Repeat(3, func() error { return once(c) })
		}
		silent := map[string]int{}
		for i := range 9 {
			process := r.World.Node("client").Process(fmt.Sprint("session ", i))
			c := client.New(process, r.Names(), client.Options{RequestTimeout: time.Second})
			for range 3 + i { // the first ones go to the member that is connected first
				_, _ = c.Do(context.Background(), get(true))
			}
			if err := once(c); err != nil {
				t.Error(err)
			}
			at := "the leader"
			for _, member := range r.others(r.Leader()) { // without the leader no member can renew
				r.World.Node(member).Freeze(3500 * time.Millisecond)
				if renew(c) != nil {
					if at != "the leader" {
						t.Errorf("the client renews at %s and at %s", at, member)
					}
					at = member
				}
				r.sleep(5 * time.Second)
				if err := once(c); err != nil {
					t.Errorf("after %s was stopped a renewal answers %v", member, err)
				}
			}
			silent[at]++
			if at != "the leader" {
				r.World.Node(at).Crash()
				if err := once(c); err != nil {
					t.Errorf("after the member was killed a renewal answers %v", err)
				}
				r.World.Node(at).Restart()
			}
			r.sleep(time.Second)
		}
		if len(silent) != 3 {
			t.Errorf("nine clients renew at %v, want clients at each of three members", silent)
		}
	})
}
