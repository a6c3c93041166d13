package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "zookeeper"

// Client is a client of a ZooKeeper service, for all workers of a process. It has one session, and
// opens another one when that has expired. Its errors are or wrap those of this package, or are the
// cause of the context: then it is unknown whether a write takes effect.
type Client interface {
	// Create creates a znode without data, and returns its path.
	Create(ctx context.Context, path string, mode Mode) (string, error)
	// Delete deletes a znode of any version.
	Delete(ctx context.Context, path string) error
	// Children lists the names of the children of a znode, in no particular order. With watch it also
	// returns a signal for the next time that a child is created or deleted.
	Children(ctx context.Context, path string, watch bool) ([]string, Signal, error)
	// Exists returns a znode. With watch it also returns a signal for its next change.
	Exists(ctx context.Context, path string, watch bool) (Znode, Signal, error)
	// Sync waits until later reads see what was committed before.
	Sync(ctx context.Context, path string) error
	// Status returns the state of the session.
	Status() Status
}

// Mode is the mode of a new znode.
type Mode int

// The modes.
const (
	Persistent Mode = iota
	EphemeralSequential
)

// Znode describes a znode.
type Znode struct {
	Exists bool
	Czxid  int64 // the transaction that created it
	Owner  int64 // the session that an ephemeral znode ends with
}

// Signal is something that happens once.
type Signal interface {
	// Wait waits until it has happened. It returns the cause of ctx if that ends first.
	Wait(ctx context.Context) error
}

// Status is the state of a session.
type Status struct {
	Session   int64 // 0: there is none
	Connected bool
	// Connections is the number of connections that the client has had.
	Connections int
	// Changed is signalled at the next change.
	Changed Signal
}

// The errors of a Client.
var (
	ErrNoNode = errors.New("no such znode")
	ErrExists = errors.New("the znode exists")
	// ErrDisconnected: the connection ended before the reply, so the outcome is unknown.
	ErrDisconnected = errors.New("the connection was lost")
	// ErrNotSent: no server could be reached, so the request has no effect.
	ErrNotSent = errors.New("no server could be reached")
	// ErrExpired: the session has expired, so the request has no effect.
	ErrExpired = errors.New("the session has expired")
)

// Port holds the client of a worker.
type Port struct {
	// Connect returns the client of the process. The first call sets the session timeout that it
	// asks for.
	Connect func(timeout time.Duration) Client
	// Servers has the names of the servers, and Dial connects to one of them, for a client that speaks ZooKeeper's protocol itself.
	Servers []string
	Dial    func(ctx context.Context, server string, timeout time.Duration) (net.Conn, error)
}

// PortOf returns the port of a strategy. It panics if Deps have the port of another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs a zookeeper.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}
