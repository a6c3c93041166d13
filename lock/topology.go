package lock

import "fmt"

// Topology is the lock servers that a strategy needs.
type Topology struct {
	Nodes          int  // independent servers: 1, several, or 0 for as many as there are
	Replicas       int  // asynchronous replicas of a single server: 0 or 1
	DelayedRestart bool // a server that comes back stays silent for the longest TTL
}

// Quorum is how many of the servers make a grant.
func (t Topology) Quorum() int { return max(t.Nodes, 1)/2 + 1 }

// Validate returns an error for servers that no strategy can use, and for an
// even number of them: its quorum is that of one server more, and survives no more
// failures than that of one less.
func (t Topology) Validate() error {
	switch {
	case t.Nodes < 0 || t.Replicas < 0 || t.Replicas > 1:
		return fmt.Errorf("%d servers with %d replicas: there is at least one server, and at most one replica", t.Nodes, t.Replicas)
	case t.Nodes > 1 && t.Replicas > 0:
		return fmt.Errorf("only a single server has a replica, not %d", t.Nodes)
	case t.Nodes > 1 && t.Nodes%2 == 0:
		return fmt.Errorf("%d servers stand no more failures than %d do: take an odd number", t.Nodes, t.Nodes-1)
	}
	return nil
}
