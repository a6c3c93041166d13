package locktest

import (
	"context"
	"fmt"
	"net"
	"time"

	"lockquake/lock/zookeeper"
)

// ZooKeeper reaches the servers of a simulated ensemble, for a client that speaks ZooKeeper's protocol itself.
type ZooKeeper struct {
	// Servers has their addresses: IP addresses with ports, so that a client looks up no name.
	Servers []string
	// Dial connects to one of them, as a zk.Dialer does. The network is ignored.
	Dial func(network, address string, timeout time.Duration) (net.Conn, error)
}

// zookeeper returns how the goroutines of the bubble reach an ensemble.
func (p process) zookeeper(port zookeeper.Port) *ZooKeeper {
	servers := map[string]string{} // by address
	z := &ZooKeeper{Dial: func(_, address string, timeout time.Duration) (net.Conn, error) {
		server, known := servers[address]
		if !known {
			return nil, fmt.Errorf("locktest: no server has the address %s: give the client the servers of Deps.ZooKeeper", address)
		}
		return p.dial(server, func([]byte) string { return "" }, func() (net.Conn, error) {
			p.boundLookAhead()
			return port.Dial(context.Background(), server, timeout)
		})
	}}
	for i, server := range port.Servers {
		address := fmt.Sprintf("127.0.0.%d:2181", i+1)
		servers[address] = server
		z.Servers = append(z.Servers, address)
	}
	return z
}
