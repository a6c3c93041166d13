// Package postgres simulates PostgreSQL servers.
//
// A [Server] runs on a node of a world (server.go). It speaks the wire protocol, so clients use pgx
// itself (connection.go, protocol.go, values.go, failure.go), and executes statements in the database of package engine. A
// statement that waits for a lock is answered later. A pooler in transaction mode is on the same
// node, as PgBouncer often is (pooler.go).
//
// A [Cluster] has the servers of one run: one, or a primary with an asynchronous replica (cluster.go,
// replica.go).
//
// The server records what happened to the locks of the run in the history: advisory locks and row
// locks (locks.go), lease rows (rows.go), and the requests to the protected resource, if that is a
// table of the database (items.go).
package postgres
