// Package wire has the messages between the simulated etcd cluster and its clients.
package wire

import (
	"fmt"

	"lockquake/lock/etcd"
)

// Request is a request: either about keys and leases, or to watch.
type Request struct {
	etcd.Request
	Watch *etcd.Watch
}

// Reply is an answer, or a message to a watcher: one of the three.
type Reply struct {
	Response *etcd.Response
	Changes  *etcd.Changes
	Err      error
}

// AppendTrace implements sim.Traced.
func (r *Request) AppendTrace(b []byte) []byte {
	if r.Watch != nil {
		return fmt.Appendf(b, "watch%+v", *r.Watch)
	}
	return append(b, etcd.Text(r.Request)...)
}

// AppendTrace implements sim.Traced.
func (r *Reply) AppendTrace(b []byte) []byte {
	switch {
	case r.Err != nil:
		return append(b, r.Err.Error()...)
	case r.Changes != nil:
		b = fmt.Appendf(b, "at %d, compacted %d, ended %t %s", r.Changes.Revision, r.Changes.Compacted, r.Changes.Ended, r.Changes.Reason)
		for _, e := range r.Changes.Events {
			b = fmt.Appendf(b, " deleted %t %+v", e.Deleted, e.KV)
		}
		return b
	case r.Response != nil:
		return fmt.Appendf(b, "%+v", *r.Response)
	}
	return b
}
