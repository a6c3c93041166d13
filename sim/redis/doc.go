// Package redis simulates Redis servers in a world of package sim. It consists of six packages:
//
//   - [lockquake/sim/redis/resp] has requests and replies, and their encoding.
//   - [lockquake/sim/redis/lua] runs scripts. It knows no commands.
//   - [lockquake/sim/redis/keyspace] has the commands, expiry and EVAL. It knows nothing of the
//     simulation.
//   - [lockquake/sim/redis/client] models go-redis on the network. It does not
//     import this package; of keyspace it uses the list of commands and an error.
//   - This package runs a keyspace as a server on a node. It knows nothing of the clients.
//   - [lockquake/sim/redis/family] connects them to package scenarios, and has the settings of a
//     scenario file.
//
// # A tour
//
//   - [Server] runs on a node and answers commands at the instant at which they arrive (server.go).
//     It keeps the state of each connection (connection.go), and commands that block, such as BLPOP
//     and WAIT, until they are answered (blocking.go, wait.go).
//   - After each command it reads who holds the locks, and package holders derives the events
//     (watch.go).
//   - It sends published messages to the connections that listen (channels.go).
//   - [Server.Crash] simulates a loss of power or a kill of the process, and [Server.Restart] its
//     end. [Persistence] decides what data survives (persistence.go).
//   - [Group] is a primary and a replica that lags, with failover (replication.go).
//   - [Cluster] has all servers of a lock, independent ones or a group. They crash, restart and
//     fail over according to their [backend.Layout] (cluster.go).
//   - [Server.Delete] deletes keys like a third party or an eviction, and [Server.SetStale] answers
//     reads like a replica that lags (thirdparty.go).
//   - Persistence, replicas and stale reads use a log of effects (effectlog.go, image.go), which a
//     server keeps only if one of them needs it.
//
// # What is not simulated
//
// A command that is not simulated ends the run with a
// [lockquake/sim/redis/keyspace.NotSimulatedError], which names it. A pipeline is executed without
// interruption, up to the first command that blocks, and its replies arrive together.
//
// Blocking commands end exactly at their timeout. An idle Redis checks timeouts only ten times a
// second.
//
// There are no subscriptions by pattern or shard. Messages published on a primary are not published
// on its replica, and do not count as writes for WAIT. No client is disconnected because it reads
// too slowly.
//
// Persistence is one of three guarantees, without files. "Every second" means every whole second of
// true time, a kill loses nothing that a persisting server has answered, and loading takes no time.
// There are no snapshots. Streams and HyperLogLogs are neither persisted nor replicated.
//
// There is one replica, which receives effects instead of commands. A cut between the two nodes
// delays them until it heals. The latency and loss of that link do not apply to them: only the lag
// does. A replica that is out of sync receives all data again after one lag, and keeps its old data
// until then. It answers reads by its own clock, refuses writes, and expires nothing by itself.
// There is no min-replicas-to-write, and redis.set_repl has no effect. This package does not decide
// on failovers: there is no Sentinel, and after [Group.Promote] never a second primary.
//
// WAIT also ends exactly at its timeout. Here a replica acknowledges immediately. A real one
// acknowledges every second, or when a WAIT asks; that request itself counts as a write. So two
// results can differ from Redis. A WAIT for 0 replicas, or in a transaction, may count a replica
// too early. A second WAIT without a write in between succeeds although the replica is cut off. A
// command that changes nothing is not sent to the replica.
//
// Packages keyspace and client have their own lists.
//
// # Conformance
//
// The tests compare the simulation with a real redis-server 7.0, byte for byte. TestConformance
// sends both the same commands at the same millisecond: strings, expiry, hashes, sets, lists,
// sorted sets, transactions and scripts, and their errors. TestConformanceOfConnections has several
// connections that watch, block and use transactions. TestConformanceOfReplication has a primary
// and its replica: WAIT, stopped replicas, promotions. TestConformanceOfKill kills a server,
// TestConformanceOfChannels has subscribers, and TestConformanceOfScripts has one script for each
// difference between versions of Lua.
package redis
