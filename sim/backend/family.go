package backend

import (
	"time"

	"lockquake/lock"
	"lockquake/sim"
)

// Family is a kind of lock server with its clients.
type Family struct {
	// Family has the name, the strategies and the parts of their locks.
	lock.Family
	Doc string // one line
	// Settings and ServerSettings are structs, with the values that hold if a file
	// sets nothing; nil for no keys. See the package documentation.
	Settings, ServerSettings any
	// Operations are those that only this family has, such as a subscription.
	// A fault can be tied to their points.
	Operations []string
	// Command reports whether a request of a client can be called by that name; nil
	// for no such names. Faults can be tied to the points of such a request of a
	// strategy that gives it no other name.
	Command func(name string) bool
	// Answer says how long a client waits for a reply.
	Answer Answer
	// NewCache makes what is costly to make and is kept from run to run; nil for
	// nothing. Runs that happen at the same time share it.
	NewCache func() any
	// Start puts the servers of one run into its world.
	Start func(Start) (Cluster, error)
	// Kind is a Cluster of the type that Start returns, which is asked only what it
	// implements.
	Kind Cluster
}

// Answer says how long a client waits for a reply.
type Answer struct {
	Key string // of the setting, "" if there is none
	Of  func(Settings) time.Duration
}

// Settings are those that a scenario file sets.
type Settings interface {
	// Apply sets the fields of the struct that to points to, of the type of
	// Family.Settings or Family.ServerSettings, as far as the file sets them.
	Apply(to any)
	// Has reports whether the file sets the key of a path, as in "client.pool-size".
	Has(path string) bool
}

// Start is what a family is told of the servers of one run.
type Start struct {
	World    *sim.World
	Layout   Layout
	Settings Settings // of the servers
	Locks    Locks
	Cache    any // that NewCache made; nil: every server makes its own
}

// Cluster is the servers of a lock while a run happens.
type Cluster interface {
	// Names lists the nodes.
	Names() []string
	// Serving lists the nodes that clients are to use now.
	Serving() []string
	// Replicated reports whether the nodes are a primary and its replica, and no
	// independent servers.
	Replicated() bool
	// Requests counts those that reached a server.
	Requests() int64
	// Connect makes the clients of one process. It returns the port of the family, as
	// lock.Deps has it.
	Connect(p *sim.Process, s Settings) any
	// Close leaves to the next run what was costly to make.
	Close()
}
