// Package redis simulates a Redis server in a world of package sim, and gives
// workers unmodified go-redis clients of it.
//
// # A tour
//
//   - [Server] stands on a node and answers commands at the instant at which
//     they arrive (server.go). After each it reads who holds the locks, and
//     package holders tells what became of them (watch.go).
//   - Behind it is miniredis, in process and without a socket, for the keyspace
//     (store.go), and one reused Lua state for scripts (script.go, sandbox.go,
//     and what they find there: redislib.go, luatext.go, cjson.go). Expiry is
//     this package's own, by Redis's rule: a key lives as long as the node's
//     wall clock, in whole milliseconds, does not exceed its deadline
//     (deadline.go).
//   - What Redis refuses and miniredis would not is refused before it comes to
//     that (arity.go, guard.go).
//   - [Server.Crash] and [Server.Restart] are a loss of power, or a kill of the
//     process, and its end; what the server still knows is a matter of
//     [Persistence] (persistence.go).
//   - [Group] is a primary and a replica that lags, with failover
//     (replication.go) and WAIT (wait.go).
//   - [Server.Delete] is a third party or an eviction, and [Server.SetStale] a
//     replica that clients read from (thirdparty.go).
//   - All three live on a journal of effects (journal.go, image.go), which is
//     kept only where somebody needs it.
//   - [Server] sends what is published to who listens (channels.go), which is who
//     has subscribed through a [NewSubscriber], a port beside the client since
//     go-redis's subscriptions go past its hook (subscriber.go).
//   - [NewClient] returns a *redis.Client whose hook takes every command away
//     from go-redis and sends it over the world's network (client.go). The pool
//     of connections is modelled here as go-redis has it (pool.go), and replies
//     are set as go-redis would read them (answer.go).
//
// # What is not simulated
//
// One database; no cluster, access control, modules, or blocking
// commands other than WAIT: such a command is answered by an error that says so.
// Scripts are bounded by a number of steps. A pipeline is carried out in one
// piece, up to a WAIT in it, and its replies come in one piece.
//
// SUBSCRIBE and UNSUBSCRIBE name one channel, and there are no patterns, shards or
// PUBSUB. What is published on a primary is not published on its replica, and is no
// write to WAIT. No client is cut off for being slow to listen.
//
// Persistence is one of three promises and no files: every second means every
// whole second of true time, a kill spares whatever a server that persists has
// answered, and loading takes no time. There are no snapshots. Streams and
// HyperLogLogs are neither persisted nor replicated.
//
// Replication is one replica, told of effects. They wait for a cut between the
// two nodes to heal, but do not suffer from latency or loss on that link: the
// lag is all. A replica that lost the thread gets everything anew, after one
// lag, and has what it had before until then. It answers reads, by its own clock,
// refuses writes, and expires nothing by itself. There is no min-replicas-to-write,
// and redis.set_repl changes nothing. Who decides on a failover is not part of this
// package: there is no Sentinel, and after [Group.Promote] never a second primary.
//
// WAIT ends when its time does, where a Redis that nobody asks anything looks at
// that ten times a second. A replica acknowledges at once and by itself; that of
// Redis does so when a WAIT asks it, which counts as something written, and else
// every second. So a WAIT for nobody, or in a transaction, can count a replica that
// Redis does not count yet, and one that follows an earlier WAIT with nothing
// written in between is answered although the replica is cut off. A command that
// leaves everything as it was is not sent to the replica.
//
// The server is held to a real redis-server 7.0 by TestConformance, which tells
// both the same commands at the same millisecond and compares what they say byte
// for byte: strings, deadlines, hashes, sets, lists, sorted sets, transactions
// and scripts, and their errors. TestConformanceOfReplication does the same with a
// primary and its replica: WAIT, stopped replicas, promotions; TestConformanceOfKill
// with a server that is killed, and TestConformanceOfChannels with listeners. Left out, or simpler, are:
//
//   - WATCH, and MULTI that does not come in one pipeline with its EXEC;
//   - the order of a hash table, as in HGETALL, and of the keys of a JSON object:
//     here it is sorted;
//   - RESP3, also in scripts; a missing array is a missing string;
//   - in scripts: struct, cmsgpack, load, loadstring, coroutines, the collector
//     of garbage, and what bit writes in hexadecimal digits; the wording of the
//     errors of Lua itself; texts in JSON that are not UTF-8; numbers that are
//     made strings by string.format("%s"), table.concat or another function
//     that wants a string have all digits, where Lua has 14, as tostring and ".."
//     have here too;
//   - SELECT of another database than 0, OBJECT, CONFIG, LCS, SORT, DUMP and
//     whatever else miniredis does not have; commands on streams, bits,
//     geography and HyperLogLogs are miniredis's affair.
//
// The client is held to go-redis by a test that lets both do the same, fault by
// fault. Left out are the maximal age of idle connections, connections that are
// kept in reserve, a limiter, and the rebuilding of connections that a server
// announces. Three things are simpler. A connection ends in one way: a reset and
// a proper end are the same, and are noticed at once. Who waits for a connection
// is served in order, where go-redis only nearly does so. And a caller whose
// context cannot end is not handed a connection that another one had dialled and
// gave up on after both had begun to dial.
package redis
