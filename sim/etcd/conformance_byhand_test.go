package etcd_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"lockquake/lock/etcd"
	"lockquake/sim/etcd/store"
)

// handWritten returns sequences that each prove a rule, by the rule. They run on a cluster with as many
// members as members says.
func handWritten(members int) map[string]sequence {
	do := func(client int, r etcd.Request) step { return step{client: client, request: r} }
	watch := func(client int, name string, w *etcd.Watch) step { return step{client: client, name: name, watch: w} }
	pass := func(d time.Duration) step { return step{wait: d} }
	fault := func(name string) step { return step{fault: name} }
	get := func(client int, key string) step {
		return do(client, &etcd.Range{Keys: etcd.Keys{Key: key}})
	}
	locked := func(client int, key string, lease int64) step {
		own := etcd.Keys{Key: key}
		return do(client, &etcd.Txn{
			If:   []etcd.Compare{{Keys: own, Field: etcd.ByCreate}},
			Then: []etcd.Request{&etcd.Put{Key: key, Lease: lease}, &etcd.Range{Keys: etcd.Prefix("lock/"), By: etcd.ByCreate, Order: etcd.Ascending, Limit: 1}},
			Else: []etcd.Request{&etcd.Range{Keys: own}},
		})
	}
	if members == 1 {
		return map[string]sequence{
			"a lease that is not renewed ends, and its keys are deleted in one revision": {
				do(0, &etcd.Grant{ID: 1, TTL: 1}), do(0, &etcd.Put{Key: "b", Lease: 1}), do(0, &etcd.Put{Key: "a", Lease: 1}),
				watch(1, "w", &etcd.Watch{Keys: etcd.Keys{Key: "a", End: "z"}, PrevKV: true}),
				pass(2 * time.Second), get(1, "a"), do(1, &etcd.Leases{}),
			},
			"a lease of zero seconds has the shortest TTL": {
				do(0, &etcd.Grant{ID: 1, TTL: 0}), do(0, &etcd.Grant{ID: 2, TTL: -3}), do(0, &etcd.Leases{}),
				do(0, &etcd.Grant{ID: 3, TTL: 9_000_000_001}),
			},
			"a lease that is renewed lasts": {
				do(0, &etcd.Grant{ID: 1, TTL: 2}), do(0, &etcd.Put{Key: "a", Lease: 1}),
				pass(time.Second), do(1, &etcd.KeepAlive{ID: 1}), pass(1300 * time.Millisecond), get(1, "a"),
				pass(1700 * time.Millisecond), get(1, "a"), do(0, &etcd.KeepAlive{ID: 1}), do(0, &etcd.Revoke{ID: 1}), do(0, &etcd.TimeToLive{ID: 1}),
			},
			"a key that is put again without the lease survives the lease": {
				do(0, &etcd.Grant{ID: 1, TTL: 100}), do(0, &etcd.Grant{ID: 2, TTL: 100}),
				do(0, &etcd.Put{Key: "a", Lease: 1}), do(0, &etcd.Put{Key: "b", Lease: 1}), do(0, &etcd.Put{Key: "c", Lease: 1}),
				do(0, &etcd.Put{Key: "a"}), do(0, &etcd.Put{Key: "b", Lease: 2}), do(0, &etcd.Put{Key: "c", IgnoreLease: true}),
				do(0, &etcd.TimeToLive{ID: 1, Keys: true}), do(0, &etcd.Revoke{ID: 1}), do(0, &etcd.Range{Keys: etcd.Keys{Key: "a", End: "z"}}),
			},
			"a watch of a revision that is compacted ends": {
				put(0, "a", "1"), put(0, "a", "2"), put(0, "a", "3"), do(0, &etcd.Compact{Revision: 2}),
				watch(0, "early", &etcd.Watch{Keys: etcd.Keys{Key: "a"}, Revision: 1}),
				watch(0, "at", &etcd.Watch{Keys: etcd.Keys{Key: "a"}, Revision: 2}),
				watch(0, "ahead", &etcd.Watch{Keys: etcd.Keys{Key: "a"}, Revision: 5}),
				put(0, "a", "4"), put(0, "a", "5"),
			},
			"a watch at the compacted revision misses a deletion": {
				put(0, "a", "1"), do(0, &etcd.Delete{Keys: etcd.Keys{Key: "a"}}), do(0, &etcd.Compact{Revision: 2}),
				watch(0, "w", &etcd.Watch{Keys: etcd.Keys{Key: "a"}, Revision: 2}), pass(300 * time.Millisecond), put(0, "a", "2"),
			},
			"the first key of a queue holds the lock": {
				do(0, &etcd.Grant{ID: 1, TTL: 100}), do(1, &etcd.Grant{ID: 2, TTL: 100}),
				locked(0, "lock/1", 1), locked(1, "lock/2", 2), locked(1, "lock/2", 2),
				watch(1, "w", &etcd.Watch{Keys: etcd.Keys{Key: "lock/1"}, Revision: 2, NoPut: true}),
				do(0, &etcd.Revoke{ID: 1}), get(1, "lock/2"), locked(0, "lock/1", 1),
			},
			"a lease that ends in the queue takes its key along": {
				do(0, &etcd.Grant{ID: 1, TTL: 100}), do(1, &etcd.Grant{ID: 2, TTL: 1}),
				locked(0, "lock/1", 1), locked(1, "lock/2", 2), pass(2 * time.Second), do(0, &etcd.Delete{Keys: etcd.Keys{Key: "lock/1"}}),
				get(1, "lock/2"),
			},
		}
	}
	return map[string]sequence{
		"a new leader gives each lease its full TTL": {
			do(0, &etcd.Grant{ID: 1, TTL: 3}), do(0, &etcd.Put{Key: "a", Lease: 1}), pass(2 * time.Second),
			fault(moveLeader), pass(1500 * time.Millisecond), get(1, "a"), pass(2500 * time.Millisecond), get(1, "a"),
		},
		"a leader that is killed is replaced, and nothing is lost": {
			do(0, &etcd.Grant{ID: 1, TTL: 3}), do(0, &etcd.Put{Key: "a", Lease: 1}),
			// From a revision, since a member that is behind would send the put too.
			watch(1, "w", &etcd.Watch{Keys: etcd.Keys{Key: "a"}, Revision: 2}),
			fault(killLeader), pass(1500 * time.Millisecond), get(1, "a"), do(2, &etcd.KeepAlive{ID: 1}), get(0, "a"),
			fault(restart), pass(500 * time.Millisecond), do(0, &etcd.KeepAlive{ID: 1}), do(0, &etcd.Delete{Keys: etcd.Keys{Key: "a"}}), get(2, "a"),
		},
	}
}

// The sequences that are written by hand do the same on the simulated and the real cluster.
func TestConformanceByHand(t *testing.T) {
	for _, members := range []int{1, 3} {
		rules := handWritten(members)
		names := sortedKeys(rules)
		const pairs = 3
		jobs := make(chan string, len(names))
		for _, name := range names {
			jobs <- name
		}
		close(jobs)
		var all sync.WaitGroup
		for range min(pairs, len(names)) {
			real := newReality(t, members)
			all.Go(func() {
				for name := range jobs {
					d, _, err := compare(real, model{members}, rules[name])
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if d != nil {
						report(t, name, rules[name], d)
					}
				}
			})
		}
		all.Wait()
	}
}

// A transaction that deletes a key with a range that has no end, and then keeps the value of the key, crashes a real
// etcd, which crashes again when it starts. The simulation ends the run.
func TestConformanceOfACrash(t *testing.T) {
	s := sequence{put(0, "a", "1"), {request: &etcd.Txn{Then: []etcd.Request{
		&etcd.Delete{Keys: etcd.Keys{Key: "a", End: etcd.FromKey}}, &etcd.Put{Key: "a", IgnoreValue: true},
	}}}}
	_, err := model{1}.run(s, nil)
	if crash, ok := errors.AsType[*store.CrashError](err); !ok || crash.Key != "a" {
		t.Errorf("the simulation returns %v", err)
	}
	real := newReality(t, 1)
	if _, err := real.run(s, make([]sight, len(s))); err != nil {
		t.Fatal(err)
	}
	if err := real.server.Members[0].Restart(); err == nil || !strings.Contains(err.Error(), "unexpected error during txn") {
		t.Errorf("the real server starts again: %v", err)
	}
}
