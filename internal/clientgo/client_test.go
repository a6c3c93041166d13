package clientgo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for jitterRand

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"lockquake/internal/twoworlds"
	"lockquake/lock/kubernetes"
	"lockquake/sim/kubernetes/api"
)

// jitterRand draws the jitter of client-go.
//
//go:linkname jitterRand k8s.io/apimachinery/pkg/util/wait.jitterRand
var jitterRand func() float64

// middle is the jitter in both worlds.
const middle = 0.5

// inBubble runs a script with client-go.
func inBubble(t *testing.T, s script) []string {
	t.Helper()
	jitterRand = func() float64 { return middle }
	klog.SetLogger(klog.New(nil))
	var lines []string
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		log := &twoworlds.Log{Elapsed: func() time.Duration { return time.Since(began) }}
		f := &front{server: newServer(s, log, began)}
		over, cancel := context.WithTimeout(t.Context(), s.end)
		defer cancel()
		var all sync.WaitGroup
		for _, c := range s.candidates {
			all.Go(func() { f.elect(t, over, c) })
		}
		for _, at := range s.deletes {
			time.AfterFunc(at, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.server.remove()
			})
		}
		all.Wait()
		lines = log.Sorted()
		time.Sleep(time.Minute) // for what is under way in the background
	})
	return lines
}

// elect runs the LeaderElector of a candidate.
func (f *front) elect(t *testing.T, over context.Context, c candidate) {
	time.Sleep(c.start)
	ctx := over
	if c.stop > 0 {
		limited, cancel := context.WithTimeout(over, c.stop-c.start)
		defer cancel()
		ctx = limited
	}
	leases, err := client.NewForConfigAndClient(&rest.Config{
		Host: "http://kubernetes", Timeout: f.server.script.clientTimeout(),
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}, &http.Client{Transport: &wire{front: f, client: c.name}, Timeout: f.server.script.clientTimeout()})
	if err != nil {
		t.Error(err)
		return
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: meta.ObjectMeta{Namespace: "default", Name: leaseName}, Client: leases, LockConfig: resourcelock.ResourceLockConfig{Identity: c.name},
		},
		LeaseDuration: 15 * time.Second, RenewDeadline: renewDeadline, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: f.server.script.release,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				f.note("%s leads", c.name)
				<-ctx.Done()
				f.note("%s stops", c.name)
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		t.Error(err)
		return
	}
	elector.Run(ctx)
}

// front gives the server the form of HTTP.
type front struct {
	mu     sync.Mutex
	server *server
}

func (f *front) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server.add(format, args...)
}

// wire is the way of one client to the server. It takes a while for a message, and two round trips to open.
type wire struct {
	front  *front
	client string
	mu     sync.Mutex
	open   bool
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	request, err := requestOf(r)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if !w.open {
		time.Sleep(4 * twoworlds.OneWay)
		w.open = true
	}
	w.mu.Unlock()
	time.Sleep(twoworlds.OneWay)
	w.front.mu.Lock()
	now := w.front.server.trouble(w.client)
	response := w.front.server.handle(w.client, request)
	w.front.mu.Unlock()
	if now.does == stops {
		time.Sleep(now.to - w.front.server.log.Elapsed())
	}
	if response == nil {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(twoworlds.OneWay)
	return httpResponse(r, response)
}

// requestOf reads a request of client-go.
func requestOf(r *http.Request) (*api.Request, error) {
	switch r.Method {
	case http.MethodGet:
		return &api.Request{Verb: api.Get, Lease: kubernetes.Lease{Name: path.Base(r.URL.Path)}}, nil
	case http.MethodPost, http.MethodPut:
		var l coordination.Lease
		if err := json.NewDecoder(r.Body).Decode(&l); err != nil {
			return nil, err
		}
		verb := api.Create
		if r.Method == http.MethodPut {
			verb = api.Update
		}
		return &api.Request{Verb: verb, Lease: leaseOf(&l)}, nil
	}
	return nil, fmt.Errorf("a request of the method %s", r.Method)
}

func leaseOf(l *coordination.Lease) kubernetes.Lease {
	s := kubernetes.LeaseSpec{AcquireTime: l.Spec.AcquireTime.Time, RenewTime: l.Spec.RenewTime.Time, LeaseDurationSeconds: *l.Spec.LeaseDurationSeconds, LeaseTransitions: *l.Spec.LeaseTransitions}
	if l.Spec.HolderIdentity != nil {
		s.HolderIdentity = *l.Spec.HolderIdentity
	}
	return kubernetes.Lease{Name: l.Name, UID: string(l.UID), ResourceVersion: l.ResourceVersion, Spec: s}
}

func objectOf(l kubernetes.Lease) *coordination.Lease {
	return &coordination.Lease{
		TypeMeta:   meta.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"},
		ObjectMeta: meta.ObjectMeta{Name: l.Name, Namespace: "default", UID: types.UID(l.UID), ResourceVersion: l.ResourceVersion},
		Spec: coordination.LeaseSpec{
			HolderIdentity: &l.Spec.HolderIdentity, LeaseDurationSeconds: &l.Spec.LeaseDurationSeconds, LeaseTransitions: &l.Spec.LeaseTransitions,
			AcquireTime: &meta.MicroTime{Time: l.Spec.AcquireTime}, RenewTime: &meta.MicroTime{Time: l.Spec.RenewTime},
		},
	}
}

func httpResponse(r *http.Request, a *api.Response) (*http.Response, error) {
	var body any = objectOf(a.Lease)
	header := http.Header{"Content-Type": {"application/json"}}
	if a.Code >= http.StatusBadRequest {
		body = &meta.Status{
			TypeMeta: meta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: meta.StatusFailure, Code: int32(a.Code),
			Reason: meta.StatusReason(a.Reason), Message: a.Message,
		}
	}
	if a.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(a.Code), StatusCode: a.Code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)), Request: r,
	}, nil
}
