package backend

import (
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// Crasher is a cluster whose servers can crash.
type Crasher interface {
	// Crash ends the servers on these nodes, and starts them again after d plus
	// Layout.Silence. It does nothing to servers that are down.
	Crash(nodes []string, data faults.Data, d time.Duration)
}

// Promoter is a cluster that may have a replica.
type Promoter interface {
	// Promote makes the replica the primary, unless the replica is down. It is called
	// only if the cluster is replicated.
	Promote()
}

// Elector is a cluster with a leader, such as an etcd cluster.
type Elector interface {
	// ChangeLeader ends the term of the leader. No member leads for d; then another one does.
	ChangeLeader(d time.Duration)
}

// Deleter is a cluster whose records a third party can delete.
type Deleter interface {
	// Delete deletes the records of a node that match the glob pattern, or the records of
	// all locks if pattern is "". It returns their names.
	Delete(node, pattern string) []string
}

// Evictor is a cluster whose servers can evict records to free memory.
type Evictor interface {
	// Evict removes one record of a node that matches the glob pattern, or any record if
	// pattern is "". It draws the record by pick, and returns its name.
	Evict(node, pattern string, pick *draw.Draw) []string
}

// StaleReader is a cluster whose servers can answer stale reads, as a lagging replica does.
type StaleReader interface {
	// SetStale makes reads of a node return the data of that time ago; 0 ends it.
	SetStale(node string, by time.Duration)
}

// Refuser is a cluster whose servers can refuse requests with an error.
type Refuser interface {
	// Refuses lists the errors that the servers can answer with. The receiver may be the
	// prototype of the family.
	Refuses() []faults.Code
	// Refuse makes a node answer requests with the error with. Each call needs one call
	// of Accept, which ends it.
	Refuse(node string, with faults.Code)
	Accept(node string, with faults.Code)
}
