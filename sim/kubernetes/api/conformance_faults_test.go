package api

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/servers"
	"lockquake/lock/kubernetes"
)

func named(name string) kubernetes.Lease { return kubernetes.Lease{Name: name, Spec: valid()} }

// checkCrash says that a server that is killed has the objects again, with their resource versions and UIDs, since they
// are in etcd.
func (r *real) checkCrash(t *testing.T) {
	want, err := r.do(0, &Request{Create, named("crash")})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.server.Restart(); err != nil {
		t.Fatal(err)
	}
	got, err := r.do(1, &Request{Verb: Get, Lease: kubernetes.Lease{Name: "crash"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Lease, got.Lease); diff != "" {
		t.Errorf("after the crash (-before +after):\n%s", diff)
	}
	if got, err := r.do(1, &Request{Update, want.Lease}); err != nil || got.Code != http.StatusOK {
		t.Errorf("an update with the version before the crash: %+v, %v", got, err)
	}
}

// A server beyond its capacity refuses a request with the answer of the store, and does not execute it.
func TestConformanceOfAnOverload(t *testing.T) {
	etcd := servers.Etcd(t, 1)
	r := newReal(t, etcd, "--enable-priority-and-fairness=false", "--max-mutating-requests-inflight=1")
	if err := syscall.Kill(etcd.Members[0].PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// While etcd is stopped no write ends, so at most one of them is not refused.
	type result struct {
		name     string
		response *Response
		err      error
	}
	results := make(chan result, 2)
	for client, name := range []string{"a", "b"} {
		go func() {
			response, err := r.do(client, &Request{Create, named(name)})
			results <- result{name, response, err}
		}()
	}
	refused := <-results
	if err := syscall.Kill(etcd.Members[0].PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	other := <-results
	if refused.err != nil || other.err != nil {
		t.Fatal(refused.err, other.err)
	}
	want := Throttled()
	want.Reason = "" // the answer is a text; client-go names the reason
	if diff := cmp.Diff(want, refused.response); diff != "" {
		t.Errorf("the answer (-simulated +real):\n%s", diff)
	}
	if got, err := r.do(2, &Request{Verb: Get, Lease: kubernetes.Lease{Name: refused.name}}); err != nil || got.Code != http.StatusNotFound {
		t.Errorf("the refused create has taken effect: %+v, %v", got, err)
	}
}

// If etcd has no majority, a write is answered with an error of etcd, and it is unknown whether it takes effect.
func TestConformanceOfAnErrorOfEtcd(t *testing.T) {
	etcd := servers.Etcd(t, 3)
	r := newReal(t, &servers.EtcdServer{Members: etcd.Members[:1]})
	before, err := r.do(0, &Request{Create, named("l")})
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range etcd.Members[1:] {
		member.Kill()
	}
	changed := before.Lease
	changed.Spec.HolderIdentity = "B"
	got, err := r.do(0, &Request{Update, changed})
	if err != nil {
		t.Fatal(err)
	}
	// etcd may add why it timed out.
	if want := Failed("etcdserver: request timed out"); got.Code != want.Code || got.Reason != want.Reason || !strings.HasPrefix(got.Message, want.Message) {
		t.Errorf("the answer is %+v, want %+v", got, want)
	}
	for _, member := range etcd.Members[1:] {
		if err := member.Start(); err != nil {
			t.Fatal(err)
		}
	}
	later := &Response{}
	for tries := 0; later.Code != http.StatusOK && tries < 1000; tries++ { // until etcd has a leader again
		time.Sleep(50 * time.Millisecond)
		if later, err = r.do(0, &Request{Verb: Get, Lease: kubernetes.Lease{Name: "l"}}); err != nil {
			t.Fatal(err)
		}
	}
	changed.ResourceVersion = later.Lease.ResourceVersion
	if later.Lease != before.Lease && later.Lease != changed {
		t.Errorf("the Lease is %+v, neither the old nor the new one", later)
	}
}
