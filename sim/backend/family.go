package backend

import (
	"time"

	"lockquake/lock"
	"lockquake/sim"
)

// Family is a kind of lock server with its clients.
type Family struct {
	// Family has the name, the strategies and the parts of the family.
	lock.Family
	Doc string // one line
	// Settings and ServerSettings are structs with the default values; nil for no keys.
	// See the package documentation.
	Settings, ServerSettings any
	// Operations names the operations of clients that only this family has, such as a
	// subscription. Faults can be tied to their points.
	Operations []string
	// Command reports whether name is the name of a command of the servers; nil: there
	// are no such names. A request without env.WithOp has the name of its command, and
	// faults can be tied to its points.
	Command func(name string) bool
	// ReplyTimeout has the time for which a client waits for a reply.
	ReplyTimeout ReplyTimeout
	// Pool has the number of connections of a process.
	Pool Pool
	// NewCache makes a cache that all runs of a campaign share, even those that run at
	// the same time; nil for no cache.
	NewCache func() any
	// Start adds the servers of one run to its world.
	Start func(Start) (Cluster, error)
	// Prototype is a value of the type that Start returns. It shows which interfaces the
	// clusters implement. No method but Refuses of a [Refuser] is called.
	Prototype Cluster
}

// ReplyTimeout returns the time for which a client waits for a reply.
type ReplyTimeout struct {
	Key string // of the setting; "" if there is none
	Of  func(Settings) time.Duration
}

// Pool returns the largest number of connections of a process.
type Pool struct {
	Key string // of the setting; "" if there is none
	Of  func(Settings) int
}

// Settings gives access to the settings of a scenario file.
type Settings interface {
	// Apply sets the fields that the file sets in the struct that to points to. The
	// struct has the type of Family.Settings or Family.ServerSettings.
	Apply(to any)
	// Has reports whether the file sets the key of a path, as in "client.pool-size".
	Has(path string) bool
}

// Start has the arguments of Family.Start.
type Start struct {
	World    *sim.World
	Layout   Layout
	Settings Settings // of the servers
	Locks    Locks
	Cache    any // from NewCache; nil: there is no cache for several runs
	// Catalogue says that the lock is one of the catalogue. Its processes may then share what such a lock treats as
	// if every process had its own.
	Catalogue bool
}

// Session is a cluster whose locks last as long as the session of their holder. Its clients keep their
// sessions alive as long as they live.
type Session interface {
	// Lease returns the longest time for which the servers keep a lock of that TTL after the last
	// message of its holder.
	Lease(ttl time.Duration) time.Duration
}

// Led is a cluster whose members have a leader.
type Led interface {
	// FirstLeader returns the node of the member that led at first.
	FirstLeader() string
}

// ReplicaReader is a cluster whose clients may read from the replica.
type ReplicaReader interface {
	// ReadsReplica reports whether a client does.
	ReadsReplica() bool
}

// Cluster has the servers of a lock during one run.
type Cluster interface {
	// Names lists the nodes of the servers.
	Names() []string
	// Serving lists the nodes that clients use now.
	Serving() []string
	// Replicated reports whether the nodes are a primary and its replica. Otherwise they
	// are independent servers.
	Replicated() bool
	// Requests returns the number of requests that reached a server.
	Requests() int64
	// Connect makes the clients of one process. It returns the port of the family, for
	// lock.Deps.
	Connect(p *sim.Process, s Settings) any
	// Close ends the run, and gives what other runs can use back to the cache.
	Close()
}
