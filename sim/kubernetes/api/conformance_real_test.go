package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockquake/internal/servers"
	"lockquake/lock/kubernetes"
)

// clients is the number of clients of a sequence.
const clients = 3

// real is a real API server with its clients, each with a connection and a user agent of its own.
type real struct {
	server  *servers.KubernetesServer
	clients []*http.Client
}

func newReal(t *testing.T, etcd *servers.EtcdServer, args ...string) *real {
	r := &real{server: servers.Kubernetes(t, etcd, args...)}
	for range clients {
		c := r.server.Client()
		t.Cleanup(c.CloseIdleConnections)
		r.clients = append(r.clients, c)
	}
	return r
}

// object is a Lease, or the Status of a request, as the API writes it.
type object struct {
	APIVersion string    `json:"apiVersion,omitempty"`
	Kind       string    `json:"kind,omitempty"`
	Metadata   *metadata `json:"metadata,omitempty"`
	Spec       *spec     `json:"spec,omitempty"`

	Code    int    `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Status  string `json:"status,omitempty"`
	Details struct {
		Name string `json:"name"`
		UID  string `json:"uid"`
	} `json:"details,omitzero"`
}

type metadata struct {
	Name            string `json:"name"`
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// spec has the fields that the LeaseLock of client-go always writes.
type spec struct {
	HolderIdentity       string  `json:"holderIdentity"`
	LeaseDurationSeconds int32   `json:"leaseDurationSeconds"`
	AcquireTime          *string `json:"acquireTime"`
	RenewTime            *string `json:"renewTime"`
	LeaseTransitions     int32   `json:"leaseTransitions"`
}

// microTime is the format of times.
const microTime = "2006-01-02T15:04:05.000000Z07:00"

func timeText(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.Format(microTime)
	return &text
}

func timeOf(text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	t, err := time.Parse(microTime, *text)
	return t.UTC(), err
}

func objectOf(l kubernetes.Lease) *object {
	return &object{
		APIVersion: "coordination.k8s.io/v1", Kind: "Lease",
		Metadata: &metadata{l.Name, l.UID, l.ResourceVersion},
		Spec: &spec{
			HolderIdentity: l.Spec.HolderIdentity, LeaseDurationSeconds: l.Spec.LeaseDurationSeconds, LeaseTransitions: l.Spec.LeaseTransitions,
			AcquireTime: timeText(l.Spec.AcquireTime), RenewTime: timeText(l.Spec.RenewTime),
		},
	}
}

func (o *object) lease() (kubernetes.Lease, error) {
	acquired, err := timeOf(o.Spec.AcquireTime)
	if err != nil {
		return kubernetes.Lease{}, err
	}
	renewed, err := timeOf(o.Spec.RenewTime)
	return kubernetes.Lease{
		Name: o.Metadata.Name, UID: o.Metadata.UID, ResourceVersion: o.Metadata.ResourceVersion,
		Spec: kubernetes.LeaseSpec{
			HolderIdentity: o.Spec.HolderIdentity, LeaseDurationSeconds: o.Spec.LeaseDurationSeconds, LeaseTransitions: o.Spec.LeaseTransitions,
			AcquireTime: acquired, RenewTime: renewed,
		},
	}, err
}

// do is a side: it sends a request of a client and reads the answer.
func (r *real) do(client int, request *Request) (*Response, error) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	method, path, body := http.MethodGet, leases+"/"+request.Lease.Name, any(nil)
	switch request.Verb {
	case Get:
	case Create:
		method, path, body = http.MethodPost, leases, objectOf(request.Lease)
	case Update:
		method, body = http.MethodPut, objectOf(request.Lease)
	case Delete:
		conditions := map[string]string{}
		if request.Lease.UID != "" {
			conditions["uid"] = request.Lease.UID
		}
		if request.Lease.ResourceVersion != "" {
			conditions["resourceVersion"] = request.Lease.ResourceVersion
		}
		method, body = http.MethodDelete, map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": conditions}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	sent, err := http.NewRequest(method, "https://"+r.server.Addr+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	sent.Header.Set("Content-Type", "application/json")
	sent.Header.Set("User-Agent", fmt.Sprintf("candidate-%d", client))
	answer, err := r.clients[client].Do(sent)
	if err != nil {
		return nil, err
	}
	text, err = io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, err
	}
	return responseOf(answer, text)
}

// responseOf reads an answer. One that is no object has its text as the message.
func responseOf(answer *http.Response, text []byte) (*Response, error) {
	response := &Response{Code: answer.StatusCode}
	if after := answer.Header.Get("Retry-After"); after != "" {
		seconds, err := strconv.Atoi(after)
		if err != nil {
			return nil, err
		}
		response.RetryAfter = seconds
	}
	if answer.Header.Get("Content-Type") != "application/json" {
		response.Message = strings.TrimSpace(string(text))
		return response, nil
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	switch {
	case o.Kind == "Lease":
		var err error
		response.Lease, err = o.lease()
		return response, err
	case o.Kind != "Status" || o.Code != 0 && o.Code != answer.StatusCode:
		return nil, fmt.Errorf("an answer of %s is %s", answer.Status, text)
	case o.Status == "Success":
		response.Lease = kubernetes.Lease{Name: o.Details.Name, UID: o.Details.UID}
	default:
		response.Reason, response.Message = o.Reason, o.Message
	}
	return response, nil
}
