package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "kubernetes"

// Leases reads and writes the Lease objects of a namespace. An error of the API server is a *StatusError. After
// any other error, and after one with a code of 500 or more, it is unknown whether a write took effect.
//
// A typed client of client-go becomes a Leases by copying the fields of [Lease].
type Leases interface {
	// Get reads from the quorum, as a get without a resource version does.
	Get(ctx context.Context, name string) (Lease, error)
	// Create fails with the reason AlreadyExists if the name is taken.
	Create(ctx context.Context, l Lease) (Lease, error)
	// Update fails with the reason Conflict if the object has another resource version or another UID, or is gone.
	Update(ctx context.Context, l Lease) (Lease, error)
}

// StatusError is an answer of the API server that is not a success.
type StatusError struct {
	Code    int // of HTTP
	Reason  string
	Message string
}

// Error implements error.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the API server answers %d %s: %s", e.Code, e.Reason, e.Message)
}

// The reasons of the API server that an election acts on.
const (
	ReasonNotFound      = "NotFound"
	ReasonAlreadyExists = "AlreadyExists"
	ReasonConflict      = "Conflict"
)

// reason returns the reason of an answer of the API server, "" for any other error.
func reason(err error) string {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Reason
	}
	return ""
}

// refused reports whether a request that ended with err had no effect. The API server may have executed a request
// that it answers with 500 or 504, since its own request to etcd may have been lost.
func refused(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Code < http.StatusInternalServerError
}

// Port holds the client of one worker.
type Port struct{ Leases Leases }

// PortOf returns the client of a strategy. It panics if Deps have the port of another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs a kubernetes.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}
