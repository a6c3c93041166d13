// Package etcd simulates a cluster of etcd 3.4.23.
//
// The data is one store (package store): what the cluster has committed. Each member has applied it up
// to a revision.
//
//   - A [Cluster] has the members (cluster.go). It crashes them and changes their leader (faults.go).
//   - A member answers requests (member.go). It answers a serializable read from what it has applied.
//     Anything else needs the leader and a majority (consensus.go), or fails after the request timeout.
//   - A leader without a majority steps down after the election timeout. Members that get no message
//     from the leader for as long, and reach a majority, elect another one (election.go).
//   - The leader ends leases by its own clock, and answers renewals without asking the others
//     (lease.go). A new leader gives each lease its full TTL again.
//   - A watch gets the changes that its member applies (watch.go).
//   - The holder of a lock is the key with the lowest creation revision under the lock's prefix
//     (locks.go).
//
// Package client has the client, and package family makes it a family of lock servers.
package etcd
