// Package kubernetes simulates the API server of Kubernetes, as far as its Lease objects go.
//
// A [Server] runs on a node of a world (server.go). The objects are in package api; the server records who holds the
// locks of the run (watch.go). A [Cluster] has the server of one run, with its faults (cluster.go).
//
// There is one API server, and the etcd behind it is always available: the objects survive a crash of the server. A
// get has no resource version, as in an election, so it reads from the quorum and is never stale. Watches are not
// modelled, since no election uses them.
package kubernetes
