// Package keyspace implements the data of a Redis server and the commands on it: in process,
// without a socket, and with a clock that the caller sets. It knows nothing of the simulation.
// Package redis runs it as a server on a node.
//
// # A tour
//
//   - [Keyspace] runs commands (keyspace.go). [Keyspace.RunPipeline] runs those of a [Connection],
//     which has an open transaction and watched keys (connection.go).
//   - Requests and replies are those of package [lockquake/sim/redis/resp].
//   - The data is in miniredis (store.go), with a fast path for the commands that a waiting lock
//     repeats (direct.go). Expiry follows the rule of Redis: a key exists as long as the clock, in
//     whole milliseconds, does not exceed its deadline (deadline.go).
//   - Redis refuses some commands that miniredis would run. The keyspace refuses them first
//     (arity.go, commands.go, guard.go), and also the commands that a server refuses in a
//     [Condition] such as LOADING (condition.go).
//   - EVAL and SCRIPT load scripts, read their flags and decide which commands they may call
//     (script.go). Package [lockquake/sim/redis/lua] compiles and runs them.
//   - Commands that block, such as BLPOP, wait in order (blocking.go). wait.go parses WAIT.
//     Watching connections and blocked commands learn of changes to their keys (waiters.go).
//   - A server can read keys without a command (read.go), and copy and replace their contents as an
//     [Image] (image.go). Its [Hooks] are called for keys that are named or expire.
//
// # What is not simulated
//
// There is one database, and no cluster, access control or modules. A command that is not simulated gets an error and is
// recorded in [Keyspace.Missing]; package redis then ends the run. A command that Redis does not know gets the error of Redis.
// Scripts are limited to a number of steps. XREAD does not block. There is no PUBSUB.
//
// The tests of package redis compare the keyspace with a real redis-server. Left out or simplified
// are:
//
//   - the order of a hash table, as in HGETALL: here it is sorted;
//   - RESP3; a missing array is the same as a missing string;
//   - what package lua lists about scripts;
//   - SELECT of a database other than 0, OBJECT, CONFIG, INFO, LCS, SORT, DUMP and everything else
//     that miniredis does not have, which end the run. Commands on streams, bits, geography and
//     HyperLogLogs behave as in miniredis.
package keyspace
