package lock

import "fmt"

// Topology describes the lock servers that a strategy needs.
type Topology struct {
	Nodes          int  // independent servers: 1 or more; 0: the strategy uses all that there are
	Replicas       int  // asynchronous replicas of a single server: 0 or 1
	Members        int  // members of one replicated service, such as an etcd cluster; 0: the servers are no such service
	DelayedRestart bool // after a restart a server stays silent for the longest TTL
}

// Quorum returns the number of servers that have to grant a lock.
func (t Topology) Quorum() int { return max(t.Nodes, 1)/2 + 1 }

// Validate returns an error for servers that no strategy can use. An even number of servers is an
// error too: with one server fewer, the lock survives as many failures.
func (t Topology) Validate() error {
	switch {
	case t.Nodes < 0 || t.Replicas < 0 || t.Replicas > 1:
		return fmt.Errorf("%d servers with %d replicas: there is at least one server, and at most one replica", t.Nodes, t.Replicas)
	case t.Members < 0 || t.Members > 0 && (t.Nodes > 1 || t.Replicas > 0):
		return fmt.Errorf("%d members with %d servers and %d replicas: the members of a service are its only servers", t.Members, t.Nodes, t.Replicas)
	case t.Members > 0 && t.Members%2 == 0:
		return fmt.Errorf("%d members tolerate no more failures than %d do: take an odd number", t.Members, t.Members-1)
	case t.Nodes > 1 && t.Replicas > 0:
		return fmt.Errorf("only a single server has a replica, not %d", t.Nodes)
	case t.Nodes > 1 && t.Nodes%2 == 0:
		return fmt.Errorf("%d servers tolerate no more failures than %d do: take an odd number", t.Nodes, t.Nodes-1)
	}
	return nil
}
