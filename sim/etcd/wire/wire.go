// Package wire has the messages between the simulated etcd cluster and its clients.
package wire

import (
	"fmt"
	"strings"

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
	return append(b, Text(r.Request)...)
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

// Text describes a request.
func Text(r etcd.Request) string {
	switch r := r.(type) {
	case *etcd.Range:
		return fmt.Sprintf("range%+v", *r)
	case *etcd.Put:
		return fmt.Sprintf("put%+v", *r)
	case *etcd.Delete:
		return fmt.Sprintf("delete%+v", *r)
	case *etcd.Txn:
		return fmt.Sprintf("txn%+v{%s}{%s}", r.If, texts(r.Then), texts(r.Else))
	case *etcd.Compact:
		return fmt.Sprintf("compact%+v", *r)
	case *etcd.Grant:
		return fmt.Sprintf("grant%+v", *r)
	case *etcd.Revoke:
		return fmt.Sprintf("revoke%+v", *r)
	case *etcd.KeepAlive:
		return fmt.Sprintf("keepalive%+v", *r)
	case *etcd.TimeToLive:
		return fmt.Sprintf("ttl%+v", *r)
	}
	return fmt.Sprintf("%T", r)
}

func texts(ops []etcd.Request) string {
	var all []string
	for _, op := range ops {
		all = append(all, Text(op))
	}
	return strings.Join(all, "")
}
