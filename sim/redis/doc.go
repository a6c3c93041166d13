// Package redis simulates Redis servers in a world of package sim: what a server is
// beyond its keyspace. It is one of four packages:
//
//   - [lockquake/sim/redis/keyspace] has the commands, expiry and Lua, and no
//     simulation.
//   - [lockquake/sim/redis/client] has go-redis as the network sees it, and no server.
//   - This package puts a keyspace on a node, and does not know the clients.
//   - [lockquake/sim/redis/family] puts the three together for package scenarios, and has
//     the settings of a scenario file.
//
// # A tour
//
//   - [Server] runs on a node and answers commands at the instant at which they
//     arrive (server.go). It keeps the state of each connection (connection.go), and
//     commands that block, such as BLPOP and WAIT, until they are answered
//     (blocking.go, wait.go).
//   - After each command it reads who holds the locks, and package holders tells what
//     became of them (watch.go).
//   - It sends what is published to the connections that listen (channels.go).
//   - [Server.Crash] and [Server.Restart] are a loss of power, or a kill of the
//     process, and its end; what the server still knows is a matter of
//     [Persistence] (persistence.go).
//   - [Group] is a primary and a replica that lags, with failover (replication.go).
//   - [Cluster] is all servers of a lock, several that stand alone or a group: they
//     crash, come back and fail over as their [backend.Layout] says (cluster.go).
//   - [Server.Delete] is a third party or an eviction, and [Server.SetStale] a
//     replica that clients read from (thirdparty.go).
//   - Persistence, replicas and stale reads live on a journal of effects (journal.go,
//     image.go), which is kept only where somebody needs it.
//
// # What is not simulated
//
// A command that is not simulated ends the run with a
// [lockquake/sim/redis/keyspace.NotSimulatedError], which names it. A pipeline is carried out in one piece, up to a command in it that
// waits, and its replies come in one piece.
//
// Blocking commands end when their time does, where a Redis that nobody asks
// anything looks at that ten times a second.
//
// There are no subscriptions by pattern or shard. What is published on a primary is not
// published on its replica, and is no write to WAIT. No client is cut off for being
// slow to listen.
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
// Packages keyspace and client say what they leave out.
//
// # What it is held to
//
// The tests compare with a real redis-server 7.0, byte for byte. TestConformance tells
// a keyspace and the real server the same commands at the same millisecond: strings,
// deadlines, hashes, sets, lists, sorted sets, transactions and scripts, and their
// errors. TestConformanceOfConnections has several connections at once, which watch,
// block and transact. TestConformanceOfReplication has a primary and its replica: WAIT,
// stopped replicas, promotions. TestConformanceOfKill has a server that is killed,
// TestConformanceOfChannels has listeners, and TestConformanceOfScripts one question
// for each point in which a Lua can differ.
package redis
