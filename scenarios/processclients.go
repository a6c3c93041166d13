package scenarios

import (
	"lockquake/lock"
	lockredis "lockquake/lock/redis"
	"lockquake/sim"
	"lockquake/sim/redis"
	"lockquake/sim/redis/client"
)

// processClients are the clients that the workers of a process share.
type processClients struct {
	port  lockredis.Port
	state *lock.Process // of its workers' locks
}

// clientsOf returns the clients of the servers for a process.
func clientsOf(c *redis.Cluster, p *sim.Process, o client.Options) *processClients {
	resolvers := c.Resolvers()
	port := lockredis.Port{
		Subscriber: client.NewSubscriber(p, resolvers[0], o), SharedSubscriber: client.NewSharedSubscriber(p, resolvers[0], o),
	}
	for _, resolve := range resolvers {
		port.Nodes = append(port.Nodes, client.New(p, resolve, o))
	}
	port.Client = port.Nodes[0]
	return &processClients{port, lock.NewProcess()}
}
