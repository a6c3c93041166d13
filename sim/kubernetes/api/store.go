package api

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/lock/kubernetes"
)

// Store has the Lease objects of one namespace.
type Store struct {
	leases   map[string]kubernetes.Lease
	revision int64 // of etcd: each write raises it by one
	created  int64 // objects so far
}

// New returns an empty store.
func New() *Store { return &Store{leases: map[string]kubernetes.Lease{}, revision: 1} }

// Clear deletes all objects, as if etcd had lost its data: the revision starts again. The UIDs go on, since those of a
// real server are random and never repeat.
func (s *Store) Clear() { s.leases, s.revision = map[string]kubernetes.Lease{}, New().revision }

// Lease returns an object, and reports whether it exists.
func (s *Store) Lease(name string) (kubernetes.Lease, bool) {
	l, ok := s.leases[name]
	return l, ok
}

// Names lists the objects in the order of their names.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(s.leases)) }

// Do executes a request.
func (s *Store) Do(r *Request) *Response {
	switch r.Verb {
	case Get:
		return s.get(r.Lease.Name)
	case Create:
		return s.create(r.Lease)
	case Update:
		return s.update(r.Lease)
	case Delete:
		return s.remove(r.Lease)
	}
	return failure(http.StatusMethodNotAllowed, "MethodNotAllowed", "no verb %q", r.Verb)
}

func (s *Store) get(name string) *Response {
	if l, ok := s.leases[name]; ok {
		return &Response{Code: http.StatusOK, Lease: l}
	}
	return notFound(name)
}

func notFound(name string) *Response {
	return failure(http.StatusNotFound, kubernetes.ReasonNotFound, "leases.coordination.k8s.io %q not found", name)
}

func conflict(name, format string, args ...any) *Response {
	return failure(http.StatusConflict, kubernetes.ReasonConflict, "Operation cannot be fulfilled on leases.coordination.k8s.io %q: %s", name, fmt.Sprintf(format, args...))
}

// invalid returns the answer to an object that breaks rules of the API, nil for a valid one.
func invalid(l kubernetes.Lease) *Response {
	var why []string
	if !kubernetes.ValidName(l.Name) {
		why = append(why, fmt.Sprintf("metadata.name: Invalid value: %q", l.Name))
	}
	if l.Spec.LeaseDurationSeconds <= 0 {
		why = append(why, fmt.Sprintf("spec.leaseDurationSeconds: Invalid value: %d: must be greater than 0", l.Spec.LeaseDurationSeconds))
	}
	if l.Spec.LeaseTransitions < 0 {
		why = append(why, fmt.Sprintf("spec.leaseTransitions: Invalid value: %d: must be greater than or equal to 0", l.Spec.LeaseTransitions))
	}
	text := strings.Join(why, ", ")
	switch len(why) {
	case 0:
		return nil
	case 1:
	default:
		text = "[" + text + "]"
	}
	return failure(http.StatusUnprocessableEntity, "Invalid", "Lease.coordination.k8s.io %q is invalid: %s", l.Name, text)
}

func (s *Store) create(l kubernetes.Lease) *Response {
	if bad := invalid(l); bad != nil {
		return bad
	}
	if version, err := strconv.ParseUint(l.ResourceVersion, 10, 64); err == nil && version != 0 {
		return failure(http.StatusInternalServerError, "", "resourceVersion should not be set on objects to be created")
	}
	if _, taken := s.leases[l.Name]; taken {
		return failure(http.StatusConflict, kubernetes.ReasonAlreadyExists, "leases.coordination.k8s.io %q already exists", l.Name)
	}
	return s.added(l)
}

// added adds an object.
func (s *Store) added(l kubernetes.Lease) *Response {
	s.created++
	l.UID = fmt.Sprintf("00000000-0000-4000-8000-%012x", s.created)
	return s.put(http.StatusCreated, l)
}

func (s *Store) put(code int, l kubernetes.Lease) *Response {
	s.revision++
	l.ResourceVersion = strconv.FormatInt(s.revision, 10)
	l.Spec.AcquireTime, l.Spec.RenewTime = l.Spec.AcquireTime.Truncate(time.Microsecond), l.Spec.RenewTime.Truncate(time.Microsecond)
	s.leases[l.Name] = l
	return &Response{Code: code, Lease: l}
}

// update replaces an object. An update without a UID creates an object that is missing, as the API allows for a
// Lease; with a UID it is a conflict. An update that changes nothing is not written.
func (s *Store) update(l kubernetes.Lease) *Response {
	old, there := s.leases[l.Name]
	if l.UID != "" && l.UID != old.UID {
		return conflict(l.Name, "StorageError: invalid object, Code: 4, Key: /registry/leases/default/%s, ResourceVersion: 0, "+
			"AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", l.Name, l.UID, old.UID)
	}
	version, err := strconv.ParseUint(cmp.Or(l.ResourceVersion, "0"), 10, 64)
	switch {
	case err != nil:
		return failure(http.StatusInternalServerError, "", "%v", err)
	case !there:
		if bad := invalid(l); bad != nil {
			return bad
		}
		return s.added(l)
	case version == 0:
		return failure(http.StatusUnprocessableEntity, "Invalid", "leases.coordination.k8s.io %q is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update", l.Name)
	case l.ResourceVersion != old.ResourceVersion:
		return conflict(l.Name, "the object has been modified; please apply your changes to the latest version and try again")
	}
	if bad := invalid(l); bad != nil {
		return bad
	}
	l.UID = old.UID
	l.Spec.AcquireTime, l.Spec.RenewTime = l.Spec.AcquireTime.Truncate(time.Microsecond), l.Spec.RenewTime.Truncate(time.Microsecond)
	if l == old {
		return &Response{Code: http.StatusOK, Lease: old}
	}
	return s.put(http.StatusOK, l)
}

// remove deletes an object. The answer has its name and UID only.
func (s *Store) remove(l kubernetes.Lease) *Response {
	old, there := s.leases[l.Name]
	const conflicts = "Operation cannot be fulfilled on Lease.coordination.k8s.io %q: the %s in the precondition (%s) does not match the %s in record (%s). The object might have been %s"
	switch {
	case !there:
		return notFound(l.Name)
	case l.UID != "" && l.UID != old.UID:
		return failure(http.StatusConflict, kubernetes.ReasonConflict, conflicts, l.Name, "UID", l.UID, "UID", old.UID, "deleted and then recreated")
	case l.ResourceVersion != "" && l.ResourceVersion != old.ResourceVersion:
		return failure(http.StatusConflict, kubernetes.ReasonConflict, conflicts, l.Name, "ResourceVersion", l.ResourceVersion, "ResourceVersion", old.ResourceVersion, "modified")
	}
	s.revision++
	delete(s.leases, l.Name)
	return &Response{Code: http.StatusOK, Lease: kubernetes.Lease{Name: old.Name, UID: old.UID}}
}
