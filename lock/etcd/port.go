package etcd

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "etcd"

// Client sends requests to an etcd cluster. The simulated client and the adaptor of the official
// client are Clients.
type Client interface {
	// Do sends a request. An error of the server is an *Error. After any other error, and after one
	// that is Unavailable, it is unknown whether the request takes effect. All renewals (KeepAlive) go to one member,
	// until that member fails or closes the connection.
	Do(ctx context.Context, r Request) (*Response, error)
	// Watch begins to watch. It returns when the server has created the watch.
	Watch(ctx context.Context, w *Watch) (Watcher, error)
}

// Watch asks for the changes of the keys from Key to End.
type Watch struct {
	Keys
	Revision int64 // the first one of interest; 0 for the next
	PrevKV   bool
	NoPut    bool // without puts
	NoDelete bool // without deletions
}

// Watcher receives the changes that a Watch asks for.
type Watcher interface {
	// Next waits for the next message. After an error, or a message that says Ended, there is no
	// other one.
	Next(ctx context.Context) (*Changes, error)
	// Close ends the watch.
	Close()
}

// Conn is a connection to one member of a cluster. In a simulation the official client is connected by Conns.
type Conn interface {
	// Do is like that of Client. It repeats nothing.
	Do(ctx context.Context, r Request) (*Response, error)
	// Watch is like that of Client, and returns the revision of the member when it created the watch. The Watcher
	// ends with the connection.
	Watch(ctx context.Context, w *Watch) (Watcher, int64, error)
	// Broken waits until the connection ends, and returns why.
	Broken(ctx context.Context) error
	// Close closes the connection.
	Close()
}

// Port holds the client of a strategy.
type Port struct {
	Client Client
	// Members are the names of the members of the cluster, and Dial connects to one of them. They are nil in
	// production, where the official client knows its endpoints.
	Members []string
	Dial    func(ctx context.Context, member string) (Conn, error)
}

// PortOf returns the port of a strategy. It panics if Deps have the port of another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs an etcd.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}

// SharedKey is the beginning of the last part of a key that shares its lock.
const SharedKey = "read-"
