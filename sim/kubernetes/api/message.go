package api

import (
	"fmt"
	"net/http"

	"lockquake/lock/kubernetes"
)

// Verb is the verb of a request.
type Verb string

// The verbs.
const (
	Get    Verb = "get"
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Request is one request about a Lease. A get and a delete need only its name; a delete may have a UID and a resource
// version as preconditions.
type Request struct {
	Verb  Verb
	Lease kubernetes.Lease
}

// AppendTrace implements sim.Traced.
func (r *Request) AppendTrace(b []byte) []byte {
	if r.Verb == Get || r.Verb == Delete {
		return fmt.Appendf(b, "%s %s %s", r.Verb, r.Lease.Name, r.Lease.ResourceVersion)
	}
	return appendLease(fmt.Appendf(b, "%s ", r.Verb), r.Lease)
}

func appendLease(b []byte, l kubernetes.Lease) []byte {
	s := l.Spec
	return fmt.Appendf(b, "%s@%s %q %ds %d acquired %d renewed %d", l.Name, l.ResourceVersion, s.HolderIdentity, s.LeaseDurationSeconds,
		s.LeaseTransitions, s.AcquireTime.UnixMicro(), s.RenewTime.UnixMicro())
}

// Hello is the first request on a connection: the handshake of TLS. It has no Response.
type Hello struct{}

// Response is the answer to a request.
type Response struct {
	Code int // of HTTP
	// Reason and Message say why a request failed.
	Reason, Message string
	// RetryAfter is the header of that name, in seconds; 0: there is none.
	RetryAfter int
	Lease      kubernetes.Lease // after a success
}

// AppendTrace implements sim.Traced.
func (r *Response) AppendTrace(b []byte) []byte {
	if r.Code >= http.StatusBadRequest {
		return fmt.Appendf(b, "%d %s", r.Code, r.Reason)
	}
	return appendLease(fmt.Appendf(b, "%d ", r.Code), r.Lease)
}

// failure returns the answer to a request that was refused.
func failure(code int, reason, format string, args ...any) *Response {
	return &Response{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Failed is the answer to a request that etcd has answered with an error. It has no reason, and the request may have
// taken effect.
func Failed(text string) *Response {
	return failure(http.StatusInternalServerError, "", "%s", text)
}

// Throttled is the answer to a request beyond the capacity of the API server. The server sends a text; the reason is
// that of client-go.
func Throttled() *Response {
	r := failure(http.StatusTooManyRequests, "TooManyRequests", "Too many requests, please try again later.")
	r.RetryAfter = 1
	return r
}

// Unavailable is the answer of a proxy whose API server is away. It has no Retry-After.
func Unavailable() *Response {
	return failure(http.StatusServiceUnavailable, "ServiceUnavailable", "the server is currently unable to handle the request")
}
