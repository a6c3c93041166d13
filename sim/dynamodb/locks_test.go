package dynamodb_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	lockdynamodb "lockquake/lock/dynamodb"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/dynamodb"
	"lockquake/sim/dynamodb/client"
)

// entry returns a strategy of the family.
func entry(t *testing.T, name string) lock.Entry {
	t.Helper()
	all := lockdynamodb.Family().Strategies
	i := slices.IndexFunc(all, func(e lock.Entry) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("there is no strategy %s", name)
	}
	return all[i]
}

// The server records who gets the lock, who is refused, renewals, the end of a lease without a change of the
// item, and releases.
func TestTheServerRecordsTheGrants(t *testing.T) {
	e := entry(t, "dynamodb")
	e.Defaults.TTL = 3 * time.Second
	w := sim.New(sim.Config{Seed: 1, Step: time.Microsecond, Latency: draw.Fixed(time.Millisecond), Limit: time.Minute})
	defer w.Close()
	var events []string
	dynamodb.New(w.AddNode("lock", sim.NodeConfig{}), backend.Locks{
		IsLock: func(record string) bool { return record == "locks/x" }, LockOf: func(string) string { return "x" },
		Records: e.Records, Holders: e.Holders,
		Record: func(x history.Event) {
			events = append(events, fmt.Sprintf("%.0fs %s %s %d", w.Time().Seconds(), x.Type, x.Worker, x.Token))
		},
	})
	section := func(worker string, start, hold time.Duration) {
		p := w.AddNode(worker, sim.NodeConfig{}).Process(worker)
		k := p.Worker(worker)
		strategy := e.New(lock.Deps{Env: k, Params: e.Defaults, Port: lockdynamodb.Port{Client: client.New(p, "lock", client.Options{})}})
		k.Go("main", func() {
			_ = k.Sleep(context.Background(), start)
			_ = strategy.Do(context.Background(), "x", nil, func(context.Context, lock.Section) error {
				return k.Sleep(context.Background(), hold)
			})
		})
	}
	section("ann", 0, 1700*time.Millisecond)
	section("bob", 500*time.Millisecond, 20*time.Second)
	w.At(3*time.Second, func() { _ = w.CutLink("bob", "lock", sim.CutDrop, time.Minute) })
	section("carl", 4*time.Second, 100*time.Millisecond)
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	events = slices.Compact(events)
	want := []string{
		"0s granted ann 1", "1s refused bob 0", "1s renewed ann 0", "2s renewed ann 0", "2s refused bob 0", "2s freed ann 0",
		"3s granted bob 2", "4s refused carl 0", "5s refused carl 0", "6s expired bob 0", "7s granted carl 3", "7s freed carl 0",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
