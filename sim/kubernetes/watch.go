package kubernetes

import (
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/lock/kubernetes"
	"lockquake/sim"
	"lockquake/sim/holders"
	"lockquake/sim/kubernetes/api"
)

// watch records who holds the locks of the run.
type watch struct {
	server *Server
	ledger *holders.Ledger
	names  map[string]string               // the object of each lock
	seen   map[string]kubernetes.LeaseSpec // the record of each lock, as a candidate compares it
}

func newWatch(s *Server) *watch {
	w := &watch{server: s, names: map[string]string{}, seen: map[string]kubernetes.LeaseSpec{}}
	w.ledger = holders.New(holders.Options{Node: s.node, Now: s.node.Now, Record: w.record, Due: w.due})
	return w
}

func (w *watch) record(e history.Event) {
	e.At, e.Node = w.server.node.World().Time(), w.server.node.Name()
	w.server.locks.Record(e)
}

// lock returns the lock of an object, "" if it belongs to none.
func (w *watch) lock(name string) string {
	key := w.server.locks.Of(name)
	if key != "" {
		w.names[key] = name
	}
	return key
}

// holders returns the holder of a lock: the leader that its object names. Its lease lasts from change to change, since
// the others count from the last change that they have seen.
func (w *watch) holders(key string) []lock.Holder {
	l, _ := w.server.store.Lease(w.names[key])
	if l.Spec.HolderIdentity == "" {
		return nil
	}
	return []lock.Holder{{
		Owner: l.Spec.HolderIdentity, Token: int64(l.Spec.LeaseTransitions) + 1, For: time.Duration(l.Spec.LeaseDurationSeconds) * time.Second,
	}}
}

// served records what a request did to a lock. A candidate that reads a lease which another one holds is refused.
func (w *watch) served(c *sim.Call, r *api.Request, response *api.Response) {
	key := w.lock(r.Lease.Name)
	if key == "" {
		return
	}
	cause := holders.Cause{
		Ends: history.Freed, Worker: c.Worker, Op: c.Op, Request: c.Request, Sent: c.Sent,
		Asks: c.Op == "acquire" && (r.Verb == api.Get || response.Reason != ""),
	}
	before := w.ledger.Given(key)
	for _, given := range before {
		if given.Worker == c.Worker { // a candidate may read that a write of unknown outcome has taken the lease
			cause.Own = append(cause.Own, given.Owner)
		}
		if c.Op == "release" {
			cause.Values = append(cause.Values, given.Owner)
		}
	}
	if identity := r.Lease.Spec.HolderIdentity; identity != "" {
		cause.Values = append(cause.Values, identity)
	}
	w.ledger.Settle(key, w.holders(key), w.changed(key), &cause)
}

// changed reports whether the record of a lock has changed in the eyes of a candidate since the last call.
func (w *watch) changed(key string) bool {
	l, _ := w.server.store.Lease(w.names[key])
	record := l.Spec.Record()
	if record == w.seen[key] {
		return false
	}
	w.seen[key] = record
	return true
}

// due ends the leases of a lock that are over.
func (w *watch) due(key string) {
	w.ledger.Settle(key, w.holders(key), false, &holders.Cause{Ends: history.Expired})
}

// gone ends the leases of an object that a third party has deleted.
func (w *watch) gone(name string) {
	if key := w.lock(name); key != "" {
		w.ledger.Settle(key, nil, true, &holders.Cause{Ends: history.Evicted})
	}
}
