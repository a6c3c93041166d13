package redis

import (
	"fmt"
	"net"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "redis"

// Port holds the clients of the Redis servers, for one worker.
type Port struct {
	// Client talks to the lock's server, or to the current primary. It is nil if there
	// is no server.
	Client goredis.Cmdable
	// Nodes has one client for each independent server. Client is the first.
	Nodes []goredis.Cmdable
	// Subscriber subscribes to channels of the first server. SharedSubscriber uses one
	// connection for all workers of the process. Both may be nil if the strategy
	// subscribes to nothing.
	Subscriber, SharedSubscriber Subscriber
	// Dial opens a connection to a server, by its index in Nodes, for a client that speaks RESP2 itself. OpOf
	// names the operation of a command, for the points of the worker. It is nil for real servers.
	Dial func(node int, opOf func(command string) string) (net.Conn, error)
}

// PortOf returns the Redis clients of a strategy. It panics if Deps have the port of
// another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs a redis.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}
