package backend

import (
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// Crasher is a cluster whose servers can crash.
type Crasher interface {
	// Crash ends the servers on these nodes, and starts them again after d and
	// Layout.Silence. Those that are down stay as they are.
	Crash(nodes []string, data faults.Data, d time.Duration)
}

// Promoter is a cluster that may have a replica.
type Promoter interface {
	// Promote makes the replica the primary, unless it is down. It is called only if
	// the cluster is replicated.
	Promote()
}

// Deleter is a cluster whose records a third party can delete.
type Deleter interface {
	// Delete takes away the records of a node that match the glob pattern, "" for
	// those of all locks, and returns their names.
	Delete(node, pattern string) []string
}

// Evictor is a cluster whose servers drop records that they have no room for.
type Evictor interface {
	// Evict takes away one record of a node that matches the glob pattern, "" for
	// any, and returns its name. It draws which.
	Evict(node, pattern string, pick *draw.Draw) []string
}

// Staler is a cluster whose servers can answer reads as a replica that lags does.
type Staler interface {
	// SetStale lets reads of a node see what there was that long ago; 0 ends it.
	SetStale(node string, by time.Duration)
}

// Refuser is a cluster whose servers can refuse requests with an error.
type Refuser interface {
	// Refuse lets a node answer with an error, named by its first word, until Accept
	// has been called as often.
	Refuse(node string, with faults.Code)
	Accept(node string, with faults.Code)
}
