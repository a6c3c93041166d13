// Package redis simulates a Redis server in a world of package sim, and gives
// workers unmodified go-redis clients of it.
//
// # A tour
//
//   - [Server] stands on a node and answers commands at the instant at which
//     they arrive (server.go). It tells what truly happened to the keys that
//     the run uses as locks (watch.go).
//   - Behind it is miniredis, in process and without a socket, for the keyspace
//     (store.go), and one reused Lua state for scripts (script.go, sandbox.go).
//     Expiry is this package's own, by Redis's rule: a key lives as long as the
//     node's wall clock, in whole milliseconds, does not exceed its deadline.
//   - [NewClient] returns a *redis.Client whose hook takes every command away
//     from go-redis and sends it over the world's network (client.go). The pool
//     of connections is modelled here as go-redis has it (pool.go), and replies
//     are set as go-redis would read them (answer.go).
//
// # What is not simulated
//
// One database; no replication, persistence, cluster, access control, modules,
// blocking commands or subscriptions: such a command is answered by an error
// that says so. Scripts are bounded by a number of steps. Of go-redis, what
// happens in the background is left out: the maximal age of idle connections, a
// dial that goes on after its caller has given up, and the refusal to dial
// after many failures. A pipeline is carried out in one piece.
package redis
