// Package dynamodb simulates Amazon DynamoDB in one region: a service with an HTTP interface that loses
// no data that it has confirmed.
//
// A [Server] runs on a node of a world (server.go) and executes requests in the tables of package table.
// An eventually consistent read can be stale (stale.go). The server can refuse requests, because it
// throttles them or because it is unavailable (refusal.go). It can have an outage, and a third party can
// delete an item (outage.go). It records who holds the locks of the run (locks.go).
//
// A [Cluster] has the only server of a run (cluster.go).
package dynamodb
