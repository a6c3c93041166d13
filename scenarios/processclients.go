package scenarios

import (
	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/redis"
	"lockquake/sim/redis/client"
)

// processClients are the clients that the workers of a process share.
type processClients struct {
	nodes              []goredis.Cmdable // of each independent server
	subscriber, shared lock.Subscriber   // of the first one
	state              *lock.Process     // of its workers' locks
}

// clientsOf returns the clients of the servers for a process.
func clientsOf(c *redis.Cluster, p *sim.Process, o client.Options) *processClients {
	resolvers := c.Resolvers()
	clients := &processClients{
		subscriber: client.NewSubscriber(p, resolvers[0], o), shared: client.NewSharedSubscriber(p, resolvers[0], o),
		state: lock.NewProcess(),
	}
	for _, resolve := range resolvers {
		clients.nodes = append(clients.nodes, client.New(p, resolve, o))
	}
	return clients
}
