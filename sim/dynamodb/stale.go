package dynamodb

import (
	"time"

	"lockquake/sim/dynamodb/table"
)

// staleReplica is a replica that answers reads that are not consistent.
type staleReplica struct {
	by      time.Duration // how far it lags at most
	store   *table.Store
	pending []pendingChange // that it does not have yet, in order
}

type pendingChange struct {
	at time.Duration // true time
	table.Change
}

// SetStale makes a replica answer the reads that are not consistent. It stops at its present state until
// it lags by the given time, and then follows with that lag. SetStale(0) ends that at once.
func (s *Server) SetStale(by time.Duration) {
	switch {
	case by <= 0:
		s.stale = nil
	case s.stale != nil:
		s.stale.by = by
	default:
		s.stale = &staleReplica{by: by, store: s.store.Copy()}
	}
}

// add adds changes that the replica will have later.
func (r *staleReplica) add(now time.Duration, changes []table.Change) {
	for _, c := range changes {
		r.pending = append(r.pending, pendingChange{now, c})
	}
}

// at returns the store of the replica as it is at a time.
func (r *staleReplica) at(now time.Duration) *table.Store {
	for len(r.pending) > 0 && r.pending[0].at <= now-r.by {
		c := r.pending[0]
		r.store.Set(c.Table, c.Key, c.New)
		r.pending = r.pending[1:]
	}
	return r.store
}
