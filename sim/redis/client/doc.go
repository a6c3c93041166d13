// Package client gives workers unmodified go-redis clients of a simulated server, and
// models what the network sees of go-redis.
//
// # A tour
//
//   - [New] returns a *redis.Client whose hook takes every command away from go-redis
//     and sends it over the world's network (client.go), in the words that go-redis
//     would write (words.go). [Options] are what can be set.
//   - The pool of connections is modelled as go-redis has it (pool.go). Client.Watch
//     keeps one connection of the pool (transaction.go).
//   - Replies are set as go-redis would read them (answer.go).
//   - go-redis's PubSub reads and writes bytes, and gets a connection that turns them
//     into requests and messages (pubsub.go). [NewSubscriber] and [NewSharedSubscriber]
//     are a port beside the client that needs no PubSub (subscriber.go).
//
// # What is simpler than go-redis
//
// A test lets this client and go-redis do the same, fault by fault, and compares what
// each of them sends, when, and what it answers. Left out are the maximal age of idle
// connections, connections that are kept in reserve, a limiter, the rebuilding of
// connections that a server announces, and Client.Conn. Four things are simpler. A
// transaction that watches gives its connection back at EXEC, where that of go-redis
// keeps it until its function returns. A connection ends in one way: a reset and a
// proper end are the same, and are noticed at once. Who waits for a connection is
// served in order, where go-redis only nearly does so. And a caller whose context
// cannot end is not handed a connection that another one had dialled and gave up on
// after both had begun to dial.
//
// A PubSub of go-redis whose ReceiveTimeout or Channel is called ends the run: they go
// by the machine's clock and start goroutines. Two tasks may not share a PubSub whose
// server is away, since go-redis dials under a mutex. If a context with a deadline is
// given to ReceiveTimeout, that deadline alone counts.
package client
