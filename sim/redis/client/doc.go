// Package client gives workers unmodified go-redis clients of a simulated server, and models the
// behaviour of go-redis on the network.
//
// # A tour
//
//   - [New] returns a *redis.Client whose hook takes every command over from go-redis and sends it
//     over the world's network (client.go, connector.go; pipeline.go for pipelines), with the arguments as go-redis
//     writes them (words.go). It resends what go-redis would resend (resend.go).
//     [Options] are its settings (options.go). [Connect] returns all clients of a process; [Shared] does the same with one
//     go-redis client for all processes of a world (shared.go).
//   - The connection pool works like that of go-redis (pool.go). Client.Watch holds one connection
//     of the pool (transaction.go).
//   - Results are set as go-redis reads them from replies (answer.go).
//   - A client that speaks Redis's protocol itself gets a connection that converts its bytes to requests and
//     messages (wire.go). So does a PubSub of go-redis (pubsub.go). [NewSubscriber] and [NewSharedSubscriber] return
//     subscribers that need no PubSub (subscriber.go).
//
// # What differs from the defaults of go-redis
//
//   - A command is not resent; in go-redis up to 3 times.
//   - A pool has 10 connections; in go-redis 10 for each processor.
//   - The protocol is RESP2; in go-redis RESP3.
//   - A dial sends neither CLIENT SETINFO nor CLIENT MAINT_NOTIFICATIONS, so it takes one or two round trips less.
//     go-redis stops sending the second when a server has refused it.
//
// # What is simpler than go-redis
//
// A test runs this client and go-redis under the same faults, and compares what each of them sends
// and when, and the results. Left out are the maximum age of idle connections, reserve connections,
// a limiter, the migration of connections that a server announces, and Client.Conn. Four things are
// simpler:
//
//   - A transaction with WATCH returns its connection at EXEC; in go-redis, when its function
//     returns.
//   - A reset and a proper close of a connection are the same, and are noticed at once.
//   - Waiters for a connection are served strictly in order; in go-redis only nearly so.
//   - If a caller gives up while it dials, go-redis gives its connection to another caller that is
//     dialling. Here that other caller does not get it if its own context cannot end.
//
// ReceiveTimeout and Channel of a PubSub end the run, since they use the machine's clock and start
// goroutines. Two tasks must not share a PubSub whose server is down, since go-redis dials under a
// mutex. If ReceiveTimeout gets a context with a deadline, only that deadline counts.
package client
