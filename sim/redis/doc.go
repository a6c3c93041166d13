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
//     and what they find there: redislib.go, lualib.go, luatext.go, cjson.go). Expiry is
//     this package's own, by Redis's rule: a key lives as long as the node's
//     wall clock, in whole milliseconds, does not exceed its deadline
//     (deadline.go).
//   - What Redis refuses and miniredis would not is refused before it comes to
//     that (arity.go, guard.go).
//   - A connection has a state (connection.go): an open transaction, and the keys
//     that it watches. Commands that block, such as BLPOP, wait in order
//     (blocking.go). Both notice what a command does to a key (attention.go).
//   - [Server.Crash] and [Server.Restart] are a loss of power, or a kill of the
//     process, and its end; what the server still knows is a matter of
//     [Persistence] (persistence.go).
//   - [Group] is a primary and a replica that lags, with failover
//     (replication.go) and WAIT (wait.go).
//   - [Server.Delete] is a third party or an eviction, and [Server.SetStale] a
//     replica that clients read from (thirdparty.go).
//   - All three live on a journal of effects (journal.go, image.go), which is
//     kept only where somebody needs it.
//   - [Server] sends what is published to the connections that listen
//     (channels.go): those of go-redis's PubSub (pubsub.go), and those of a
//     [NewSubscriber], a port beside the client (subscriber.go).
//   - [NewClient] returns a *redis.Client whose hook takes every command away
//     from go-redis and sends it over the world's network (client.go). The pool
//     of connections is modelled here as go-redis has it (pool.go), and replies
//     are set as go-redis would read them (answer.go). Client.Watch keeps one
//     connection of the pool (transaction.go).
//
// # What is not simulated
//
// One database; no cluster, access control or modules. A command that is not
// simulated ends the run with a [NotSimulatedError], which names it; a word that
// Redis does not know either is answered as Redis does. Scripts are bounded by a
// number of steps. A pipeline is carried out in one piece, up to a command in it
// that waits, and its replies come in one piece.
//
// Blocking commands end when their time does, where a Redis that nobody asks
// anything looks at that ten times a second. XREAD does not block.
//
// There are no subscriptions by pattern or shard, and no PUBSUB. A PubSub of
// go-redis whose ReceiveTimeout or Channel is called ends the run: they go by the
// machine's clock and start goroutines. Two tasks may not share a PubSub whose
// server is away, since go-redis dials under a mutex. If a context with a
// deadline is given to ReceiveTimeout, that deadline alone counts. What is published on a primary is not published on its replica, and is no
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
//   - the order of a hash table, as in HGETALL, and of the keys of a JSON object:
//     here it is sorted;
//   - RESP3, also in scripts; a missing array is a missing string;
//   - in scripts: struct, cmsgpack, load, loadstring, coroutines and the collector
//     of garbage, which end the run; the wording of the errors of Lua itself and of
//     cjson; texts in JSON that are not UTF-8, and numbers there that JSON does not
//     know; a name goto; the length of a table with a hole behind its end; __len;
//     the remainder of a division by infinity; the sign of what is no number; a
//     %f in a pattern that is looked for behind the beginning of a text;
//   - SELECT of another database than 0, OBJECT, CONFIG, INFO, LCS, SORT, DUMP and
//     what else miniredis does not have, which end the run; commands on streams, bits,
//     geography and HyperLogLogs are miniredis's affair.
//
// Several connections at once, which watch, block and transact, are held to it by
// TestConformanceOfConnections, and scripts by TestConformanceOfScripts.
//
// The client is held to go-redis by a test that lets both do the same, fault by
// fault. Left out are the maximal age of idle connections, connections that are
// kept in reserve, a limiter, and the rebuilding of connections that a server
// announces, and Client.Conn. Four things are simpler. A transaction that watches
// gives its connection back at EXEC, where that of go-redis keeps it until its
// function returns. A connection ends in one way: a reset and
// a proper end are the same, and are noticed at once. Who waits for a connection
// is served in order, where go-redis only nearly does so. And a caller whose
// context cannot end is not handed a connection that another one had dialled and
// gave up on after both had begun to dial.
package redis
