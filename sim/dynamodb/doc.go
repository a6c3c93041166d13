// Package dynamodb simulates Amazon DynamoDB, as one region has it: a service with an HTTP interface
// that loses nothing.
//
// A [Server] runs on a node of a world (server.go) and executes requests in the tables of package table.
// A read that is not consistent can be stale (stale.go). The server can refuse requests, because there
// are too many or because it is not available (refusal.go), be out of service, and lose an item by a
// third party (outage.go). It records who holds the locks of the run (locks.go).
//
// A [Cluster] has the only server of a run (cluster.go).
package dynamodb
