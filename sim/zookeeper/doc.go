// Package zookeeper simulates a ZooKeeper service, alone or as an ensemble, as ZooKeeper 3.8.0.
//
// An [Ensemble] has the members of one service (ensemble.go). A member serves its clients while it
// leads or follows (member.go, connection.go). It answers reads from its own tree, which may lag
// behind the leader's. A write goes to the leader, which makes a transaction of it, proposes that to
// the followers, and commits it when a majority has accepted it (leader.go, follower.go). The tree
// is in package tree, and the requests and replies are in package wire.
//
// The leader expires sessions, at multiples of the tick (sessions.go). Members that have no leader
// elect one (election.go). A member that loses its leader closes all its connections. One-time
// watches belong to a connection (watches.go).
//
// The ensemble records what happened to the locks of the run when a transaction is committed
// (locks.go). Faults of servers are in faults.go.
package zookeeper
