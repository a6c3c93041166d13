package kubernetes

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock/env"
	"lockquake/lock/kubernetes"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/kubernetes/client"
)

// rig is a world with an API server, and workers with clients. A message takes 1 ms and a step no time: a connection is
// open after 4 ms, and a request takes 2 ms.
type rig struct {
	*sim.World
	t       *testing.T
	cluster *Cluster
	log     []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, World: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond), Limit: time.Hour})}
	t.Cleanup(r.Close)
	layout := backend.Layout{Names: []string{"lock"}, WallOffset: func(string) time.Duration { return 0 }}
	layout.Record = func(e history.Event) { r.note("%s %s", e.Type, e.Node) }
	r.cluster = NewCluster(r.World, layout, backend.Locks{
		IsLock: func(name string) bool { return name == "l" },
		Record: func(e history.Event) { r.note("%s %s by %s until %v", e.Type, e.Owner, e.Worker, e.Until) },
	})
	return r
}

func (r *rig) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%v ", r.Time())+fmt.Sprintf(format, args...))
}

// leases is the client of a worker. Its methods note what fails.
type leases struct {
	*rig
	worker *sim.Worker
	client *client.Client
}

func (l *leases) to(at time.Duration) { _ = l.worker.Sleep(context.Background(), at-l.Time()) }

func (l *leases) noteError(op string, err error) {
	if err != nil {
		l.note("%s %s: %v", l.worker.Name(), op, err)
	}
}

func (l *leases) get(op string) kubernetes.Lease {
	got, err := l.client.Get(env.WithOp(context.Background(), op), "l")
	l.noteError("get", err)
	return got
}

func (l *leases) create(holder string) kubernetes.Lease {
	got, err := l.client.Create(env.WithOp(context.Background(), "acquire"), kubernetes.Lease{Name: "l", Spec: l.spec(holder)})
	l.noteError("create", err)
	return got
}

func (l *leases) update(op, holder string, old kubernetes.Lease) kubernetes.Lease {
	old.Spec = l.spec(holder)
	got, err := l.client.Update(env.WithOp(context.Background(), op), old)
	l.noteError("update", err)
	return got
}

func (l *leases) spec(holder string) kubernetes.LeaseSpec {
	return kubernetes.LeaseSpec{HolderIdentity: holder, LeaseDurationSeconds: 2, RenewTime: l.worker.Now()}
}

// run runs the bodies, each as a worker, and compares what was noted.
func (r *rig) run(want []string, o client.Options, bodies ...func(*leases)) {
	r.t.Helper()
	for i, body := range bodies {
		process := r.AddNode(fmt.Sprintf("w%d", i+1), sim.NodeConfig{}).Process(fmt.Sprintf("w%d", i+1))
		worker := process.Worker(process.Name())
		c := client.New(process, r.cluster.Resolve, o)
		worker.Go("main", func() { body(&leases{r, worker, c}) })
	}
	if err := r.Run(); err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.log); diff != "" {
		r.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

const s = time.Second

func TestTheServerRecordsWhoHoldsALease(t *testing.T) {
	newRig(t).run([]string{
		"5ms granted A by w1 until 2.005s",
		"1.005s refused A by w2 until 2.005s",
		"1.501s renewed A by w1 until 3.501s",
		"3.501s expired A by w1 until 0s",
		"4.003s granted B by w2 until 6.003s",
		"4.501s freed B by w2 until 0s",
	}, client.Defaults(), func(l *leases) {
		held := l.create("A")
		l.to(1500 * time.Millisecond)
		l.update("renew", "A", held)
	}, func(l *leases) {
		l.to(s)
		l.get("acquire")
		l.to(4 * s)
		held := l.update("acquire", "B", l.get("acquire"))
		l.to(4500 * time.Millisecond)
		l.update("release", "", held)
	})
}

// A candidate compares times to the second, so it does not see this renewal.
func TestARenewalInTheSameSecondDoesNotExtendALease(t *testing.T) {
	newRig(t).run([]string{"5ms granted A by w1 until 2.005s", "2.005s expired A by w1 until 0s"}, client.Defaults(), func(l *leases) {
		held := l.create("A")
		l.to(900 * time.Millisecond)
		l.update("renew", "A", held)
	})
}

func TestObjectsSurviveACrashUnlessTheyAreLost(t *testing.T) {
	r := newRig(t)
	r.At(500*time.Millisecond, func() { r.cluster.Crash([]string{"lock"}, faults.DataByPersistence, 100*time.Millisecond) })
	r.At(s, func() { r.cluster.Crash([]string{"lock"}, faults.DataLost, 100*time.Millisecond) })
	r.run([]string{
		"5ms granted A by w1 until 2.005s",
		"600ms restarted lock",
		"1s evicted A by w1 until 0s",
		"1.1s restarted lock",
		`1.506s w1 get: the API server answers 404 NotFound: leases.coordination.k8s.io "l" not found`,
	}, client.Defaults(), func(l *leases) {
		l.create("A")
		l.to(700 * time.Millisecond)
		if got := l.get("renew"); got.Spec.HolderIdentity != "A" {
			t.Errorf("the Lease is %+v", got)
		}
		l.to(1500 * time.Millisecond)
		l.get("renew")
	})
}

func TestAThirdPartyDeletesALease(t *testing.T) {
	r := newRig(t)
	r.At(s, func() {
		if diff := cmp.Diff([]string{"l"}, r.cluster.Delete("lock", "")); diff != "" {
			t.Error(diff)
		}
	})
	r.run([]string{
		"5ms granted A by w1 until 2.005s",
		"1s evicted A by w1 until 0s",
		`1.102s w1 update: the API server answers 409 Conflict: Operation cannot be fulfilled on leases.coordination.k8s.io "l": ` +
			"StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 00000000-0000-4000-8000-000000000001, UID in object meta: ",
	}, client.Defaults(), func(l *leases) {
		held := l.create("A")
		l.to(1100 * time.Millisecond)
		l.update("renew", "A", held)
	})
}

// The client sends a request again after each Retry-After, until its own timeout.
func TestAnOverloadedServerRefusesRequests(t *testing.T) {
	r := newRig(t)
	r.At(s, func() { r.cluster.Refuse("lock", faults.CodeThrottled) })
	r.At(3500*time.Millisecond, func() { r.cluster.Accept("lock", faults.CodeThrottled) })
	r.At(10*s, func() { r.cluster.Refuse("lock", faults.CodeThrottled) })
	r.At(30*s, func() { r.cluster.Refuse("lock", faults.CodeUnavailable) })
	r.run([]string{
		"5ms granted A by w1 until 2.005s",
		"2.005s expired A by w1 until 0s",
		"4.005s renewed A by w1 until 6.005s",
		"6.005s expired A by w1 until 0s",
		"16s w1 update: update l: context deadline exceeded",
		"31.002s w1 update: the API server answers 503 ServiceUnavailable: the server is currently unable to handle the request",
	}, client.Defaults(), func(l *leases) {
		held := l.create("A")
		l.to(2 * s)
		held = l.update("renew", "A", held)
		l.to(11 * s)
		l.update("renew", "A", held)
		l.to(31 * s)
		l.update("renew", "A", held)
	})
}

// A reset breaks the connection. A get is sent again after a second, an update is not, and the next request opens
// another connection.
func TestAResetIsRetriedForAGetOnly(t *testing.T) {
	r := newRig(t)
	reset := func(at time.Duration) {
		r.At(at, func() { r.cluster.Crash([]string{"lock"}, faults.DataKept, time.Millisecond) })
	}
	reset(s + 500*time.Microsecond)
	reset(3*s + 500*time.Microsecond)
	r.run([]string{
		"5ms granted A by w1 until 2.005s",
		"1.0015s restarted lock",
		"2.005s expired A by w1 until 0s",
		"2.0065s w1 read it",
		"3.0005s w1 update: update l: connection reset by peer",
		"3.0015s restarted lock",
	}, client.Defaults(), func(l *leases) {
		held := l.create("A")
		l.to(s)
		l.get("look")
		l.note("w1 read it")
		l.to(3 * s)
		l.update("renew", "A", held)
	})
}

// After the burst, requests leave at the rate of the limit.
func TestTheClientLimitsItsRequests(t *testing.T) {
	r := newRig(t)
	r.run([]string{"6ms", "8ms", "502ms", "1.002s", "10.004s", "10.006s", "10.504s"}, client.Options{Timeout: 5 * s, QPS: 2, Burst: 2}, func(l *leases) {
		for n := range 7 {
			if n == 4 {
				l.to(10*s + 2*time.Millisecond)
			}
			_, _ = l.client.Get(context.Background(), "l")
			l.log = append(l.log, l.Time().String())
		}
	})
}
