package etcdclient_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"lockquake/lock/etcd"
	"lockquake/lock/etcd/official"
	"lockquake/lock/locktest"
	"lockquake/lock/locktest/etcdclient"
	"lockquake/scenarios/results"
	"lockquake/sim/etcd/store"
)

// inside runs a function in the process of a worker, with the official client.
func inside(t *testing.T, f func(ctx context.Context, c *clientv3.Client), options ...locktest.Option) {
	t.Helper()
	locktest.Do(t, "testdata/quiet.yaml", func(d locktest.Deps) func(context.Context, string, locktest.Work) error {
		return func(ctx context.Context, _ string, work locktest.Work) error {
			client, err := etcdclient.New(d)
			if err != nil {
				return err
			}
			f(ctx, client)
			return work(ctx, 0)
		}
	}, append(options, locktest.Seeds(1), locktest.Results(func(c *results.Campaign) {
		// With one worker nothing competes, so the verdict is unknown.
		if st := c.Strategies[0]; st.Checks["lost-update"].Violating > 0 || st.Metrics.Finished == 0 {
			t.Errorf("%s; finished %d", c.Summary(), st.Metrics.Finished)
		}
	}))...)
}

// The cluster gets each request as the client means it, and the client gets the answer: a store that executes the same
// requests has the same answers.
func TestRequestsAndAnswersAreTranslated(t *testing.T) {
	a, all := etcd.Keys{Key: "a"}, etcd.Keys{Key: "a", End: "c"}
	absent := etcd.Compare{Keys: a, Field: etcd.ByCreate, Is: etcd.Equal}
	requests := []etcd.Request{
		&etcd.Grant{TTL: 60},
		&etcd.Put{Key: "a", Value: "1", Lease: 1},
		&etcd.Put{Key: "a", Value: "2", PrevKV: true, IgnoreLease: true},
		&etcd.Put{Key: "b", Value: "3"},
		&etcd.Put{Key: "b", PrevKV: true, IgnoreValue: true, Lease: 1},
		&etcd.Range{Keys: all},
		&etcd.Range{Keys: etcd.Keys{Key: "a", End: etcd.FromKey}, Limit: 1},
		&etcd.Range{Keys: all, Order: etcd.Descending, By: etcd.ByCreate, MaxCreate: 2},
		&etcd.Range{Keys: all, Order: etcd.Ascending, By: etcd.ByMod, MinMod: 4, KeysOnly: true},
		&etcd.Range{Keys: all, Order: etcd.Descending, By: etcd.ByVersion, MinCreate: 1, MaxMod: 9},
		&etcd.Range{Keys: all, Order: etcd.Descending, By: etcd.ByValue, Revision: 4},
		&etcd.Range{Keys: all, CountOnly: true, Serializable: true},
		&etcd.Range{Keys: a, Revision: 99},
		&etcd.Txn{If: []etcd.Compare{absent}, Then: []etcd.Request{&etcd.Put{Key: "a", Value: "no"}}, Else: []etcd.Request{
			&etcd.Range{Keys: a}, &etcd.Delete{Keys: a, PrevKV: true}, &etcd.Put{Key: "c", Value: "4"},
			&etcd.Txn{If: []etcd.Compare{absent}, Then: []etcd.Request{&etcd.Range{Keys: all}}},
		}},
		&etcd.Txn{If: []etcd.Compare{
			{Keys: etcd.Keys{Key: "b"}, Field: etcd.ByVersion, Is: etcd.Greater, Number: 1},
			{Keys: etcd.Keys{Key: "b"}, Field: etcd.ByMod, Is: etcd.Less, Number: 99},
			{Keys: etcd.Keys{Key: "b"}, Field: etcd.ByValue, Is: etcd.NotEqual, Value: "4"},
			{Keys: etcd.Keys{Key: "b", End: "c"}, Field: etcd.ByLease, Is: etcd.Equal, Number: 1},
		}, Then: []etcd.Request{&etcd.Put{Key: "d", Value: "5"}}},
		&etcd.Txn{Then: []etcd.Request{&etcd.Put{Key: "e"}, &etcd.Put{Key: "e"}}},
		&etcd.Delete{Keys: etcd.Keys{Key: "b", End: etcd.FromKey}, PrevKV: true},
		&etcd.Put{Key: "f", Lease: 7},
		&etcd.Compact{Revision: 5},
		&etcd.Range{Keys: all, Revision: 3},
		&etcd.Revoke{ID: 1},
		&etcd.Revoke{ID: 1},
	}
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		const minTTL = 2
		s := store.New(minTTL)
		for _, r := range requests {
			want, wantErr := s.Apply(r)
			got, err := official.New(c).Do(ctx, r)
			if !errors.Is(err, wantErr) {
				t.Errorf("%s: error %v, want %v", etcd.Text(r), err, wantErr)
			} else if diff := cmp.Diff(want, got); wantErr == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", etcd.Text(r), diff)
			}
		}
	})
}

func TestLeases(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		granted, err := c.Grant(ctx, 10)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := c.Put(ctx, "k", "", clientv3.WithLease(granted.ID)); err != nil {
			t.Error(err)
		}
		time.Sleep(4 * time.Second)
		// 10 s, less 4 s, less some milliseconds for messages, are 5 whole seconds.
		if left, err := c.TimeToLive(ctx, granted.ID, clientv3.WithAttachedKeys()); err != nil || left.TTL != 5 || left.GrantedTTL != 10 || len(left.Keys) != 1 || string(left.Keys[0]) != "k" {
			t.Errorf("after 4 s: %+v, %v", left, err)
		}
		if renewed, err := c.KeepAliveOnce(ctx, granted.ID); err != nil || renewed.TTL != 10 {
			t.Errorf("renewed: %+v, %v", renewed, err)
		}
		if all, err := c.Leases(ctx); err != nil || len(all.Leases) != 1 || all.Leases[0].ID != granted.ID {
			t.Errorf("all leases: %+v, %v", all, err)
		}
		time.Sleep(12 * time.Second)
		if kv, err := c.Get(ctx, "k"); err != nil || len(kv.Kvs) != 0 {
			t.Errorf("after the end of the lease: %+v, %v", kv, err)
		}
	})
}

// describe returns the events of a message to a watch in one line each.
func describe(r clientv3.WatchResponse) (lines []string) {
	for _, e := range r.Events {
		line := e.Type.String() + " " + string(e.Kv.Key) + "=" + string(e.Kv.Value)
		if e.PrevKv != nil {
			line += " was " + string(e.PrevKv.Value)
		}
		lines = append(lines, line)
	}
	return lines
}

// Two watches of one client get the changes of their keys, each in its own way, until they are cancelled.
func TestWatches(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		watching, cancel := context.WithCancel(ctx)
		all := c.Watch(watching, "a", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithCreatedNotify())
		deletions := c.Watch(ctx, "a1", clientv3.WithFilterPut())
		if created := <-all; !created.Created || len(created.Events) != 0 {
			t.Errorf("the first message is %+v", created)
		}
		time.Sleep(time.Second) // until the other watch is there too
		for _, do := range []func() error{
			func() error { _, err := c.Put(ctx, "a1", "x"); return err },
			func() error { _, err := c.Put(ctx, "b", "x"); return err },
			func() error { _, err := c.Put(ctx, "a1", "y"); return err },
			func() error { _, err := c.Delete(ctx, "a1"); return err },
		} {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
		var got []string
		for len(got) < 3 {
			got = append(got, describe(<-all)...)
		}
		if diff := cmp.Diff([]string{"PUT a1=x", "PUT a1=y was x", "DELETE a1= was y"}, got); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if got := describe(<-deletions); !slices.Equal(got, []string{mvccpb.Event_DELETE.String() + " a1="}) {
			t.Errorf("deletions: %v", got)
		}
		cancel()
		if _, open := <-all; open {
			t.Error("a cancelled watch goes on")
		}
		if _, err := c.Put(ctx, "a1", "z"); err != nil {
			t.Error(err)
		}
		if _, err := c.Delete(ctx, "a1"); err != nil {
			t.Error(err)
		}
		if got := describe(<-deletions); !slices.Equal(got, []string{"DELETE a1="}) {
			t.Errorf("deletions after the other watch has ended: %v", got)
		}
	})
}

// A watch that begins in what was compacted ends, and says where the compaction was.
func TestAWatchOfTheCompactedPast(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		for range 3 {
			if _, err := c.Put(ctx, "a", ""); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Compact(ctx, 4); err != nil {
			t.Error(err)
		}
		if r := <-c.Watch(ctx, "a", clientv3.WithRev(2)); !r.Canceled || r.CompactRevision != 4 {
			t.Errorf("the watch gets %+v", r)
		}
	})
}

// elapsed returns how long a read takes that the member answers by itself.
func elapsed(ctx context.Context, t *testing.T, c *clientv3.Client) time.Duration {
	began := time.Now()
	if _, err := c.Get(ctx, "a", clientv3.WithSerializable()); err != nil {
		t.Error(err)
	}
	return time.Since(began)
}

// A request and its answer take 1 ms each on the network, and a step of the worker takes 10 us.
func TestARequestTakesTheTimeOfItsMessages(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		elapsed(ctx, t, c) // it connects
		if got := elapsed(ctx, t, c); got != 2010*time.Microsecond {
			t.Errorf("a read took %v", got)
		}
	})
}

// A request that is sent at 2 s is held until the partition heals at 6 s; its answer takes 1 ms, and a step 10 us.
func TestARequestInAPartition(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		elapsed(ctx, t, c)
		until(2 * time.Second)
		if got, want := elapsed(ctx, t, c), 4*time.Second+1010*time.Microsecond; got != want {
			t.Errorf("a read took %v, want %v", got, want)
		}
	}, locktest.Set("faults", "[{at: 1s, partition: {from: worker-1, to: lock, mode: hold, for: 5s}}]"))
}

// A change whose connection breaks fails and is not repeated. The next request succeeds.
func TestAConnectionThatBreaks(t *testing.T) {
	inside(t, func(ctx context.Context, c *clientv3.Client) {
		if _, err := c.Put(ctx, "a", ""); status.Code(err) != codes.Unavailable {
			t.Errorf("the put returns %v", err)
		}
		if r, err := c.Get(ctx, "a"); err != nil || len(r.Kvs) != 0 {
			t.Errorf("the get returns %v, %v", r, err)
		}
	}, locktest.Set("faults", "[{when: {worker: worker-1, point: put.sent, nth: 1}, reset: {from: worker-1, to: lock}}]"))
}

// resetAt is the time of the run at which all connections of the worker break.
const resetAt = 2 * time.Second

// aroundTheReset runs a function once for each moment, from a time before the reset until 5 ms after it, every 250 us. A round trip takes 2 ms.
func aroundTheReset(t *testing.T, before time.Duration, f func(ctx context.Context, t *testing.T, c *clientv3.Client, moment time.Duration)) {
	for moment := resetAt - before; moment <= resetAt+5*time.Millisecond; moment += 250 * time.Microsecond {
		t.Run(moment.String(), func(t *testing.T) {
			inside(t, func(ctx context.Context, c *clientv3.Client) { f(ctx, t, c, moment) },
				locktest.Set("faults", "[{at: "+resetAt.String()+", reset: {from: worker-1, to: lock}}]"))
		})
	}
}

// until sleeps until a time of the run, which begins with the year.
func until(at time.Duration) {
	time.Sleep(time.Until(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(at)))
}

// created waits until a watch is there.
func created(t *testing.T, w clientv3.WatchChan) {
	t.Helper()
	if first := <-w; !first.Created {
		t.Errorf("the first message is %+v", first)
	}
}

// changes puts "1" and "2" into a key, and reports an error if a watch gets anything else than these two.
func changes(ctx context.Context, t *testing.T, c *clientv3.Client, key string, w clientv3.WatchChan) {
	t.Helper()
	var got, want []string
	for _, value := range []string{"1", "2"} {
		if _, err := c.Put(ctx, key, value); err != nil {
			t.Error(err)
		}
		got, want = append(got, describe(<-w)...), append(want, "PUT "+key+"="+value)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// A watch that is cancelled while its connection breaks ends, and gets no change. Another watch goes on at the next connection: one of the same
// stream, or of another stream if the client creates both again, since the client creates the watches of one stream again in the order of a map.
func TestAWatchIsCancelledWhileItsConnectionBreaks(t *testing.T) {
	aroundTheReset(t, 5*time.Millisecond, func(ctx context.Context, t *testing.T, c *clientv3.Client, moment time.Duration) {
		watching, cancel := context.WithCancel(ctx)
		cancelled := c.Watch(watching, "a", clientv3.WithCreatedNotify())
		created(t, cancelled)
		of := ctx
		if moment > resetAt {
			of = clientv3.WithRequireLeader(ctx)
		}
		other := c.Watch(of, "b", clientv3.WithCreatedNotify())
		created(t, other)
		until(moment)
		cancel()
		if r, open := <-cancelled; open {
			t.Errorf("the cancelled watch gets %+v", r)
		}
		until(resetAt + time.Second)
		changes(ctx, t, c, "b", other)
	})
}

// A watch whose creation takes from before the reset until after it, or begins after it, gets each later change once, and so does the watch that
// was on the stream before.
func TestAWatchIsCreatedWhileTheConnectionBreaks(t *testing.T) {
	aroundTheReset(t, 3*time.Millisecond, func(ctx context.Context, t *testing.T, c *clientv3.Client, moment time.Duration) {
		before := c.Watch(ctx, "a", clientv3.WithCreatedNotify())
		created(t, before)
		until(moment)
		during := c.Watch(ctx, "b", clientv3.WithCreatedNotify())
		created(t, during)
		until(resetAt + time.Second)
		changes(ctx, t, c, "a", before)
		changes(ctx, t, c, "b", during)
	})
}

// All renewals of a client are on one stream, to one member. If that member is stopped at 5 s, the stream gives no error, and the client does not change to
// another member. Its last answer came at 3.5 s: renewals are due after 3.33 s, a third of the TTL, and the client looks twice a second. So
// the deadline is 13.5 s, and the client, which looks for that once a second, gives the session up at 14 s. The other members cost nothing.
func TestASessionIsLostWithTheMemberThatItRenewsAt(t *testing.T) {
	lost := map[int]bool{}
	for member := 1; member <= 3; member++ {
		frozen := fmt.Sprintf("[{at: 5s, pause: {target: lock-%d, for: 60s}}]", member)
		inside(t, func(_ context.Context, c *clientv3.Client) {
			begin := time.Now()
			s, err := concurrency.NewSession(c, concurrency.WithTTL(10))
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case <-s.Done():
				lost[member] = true
				if after := time.Since(begin).Round(time.Second); after != 14*time.Second {
					t.Errorf("member %d is stopped, and the session is lost after %v, want 14s", member, after)
				}
			case <-time.After(25 * time.Second):
			}
		}, locktest.Set("faults", frozen))
	}
	if len(lost) != 1 {
		t.Errorf("the session is lost with the members %v, want one of them", lost)
	}
}

func TestAScenarioWithoutEtcd(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "the scenario has no etcd servers") {
			t.Errorf("it says %q", said)
		}
	}()
	_, _ = etcdclient.New(locktest.Deps{})
}
