// Package keyspace is what a Redis server holds, and the commands on it: in
// process, without a socket, and with a clock that is handed in. It knows nothing of
// the simulation. Package redis puts it on a node.
//
// # A tour
//
//   - [Keyspace] carries out commands (keyspace.go). [Keyspace.RunPipeline] is told
//     of which [Connection] they come: an open transaction and the keys that it
//     watches are its state (connection.go).
//   - Requests and replies are a [Command] or a [Pipeline], and a [Reply] (reply.go).
//   - Below is miniredis (store.go), with a shorter way for the commands that a
//     waiting lock repeats (direct.go). Expiry follows Redis's rule: a key lives as
//     long as the clock, in whole milliseconds, does not exceed its deadline
//     (deadline.go).
//   - Redis refuses some commands that miniredis would carry out. They are refused
//     before (arity.go, commands.go, guard.go), as are those that a server refuses in
//     a [Condition] such as LOADING (condition.go).
//   - Scripts run on one reused Lua state (script.go, sandbox.go), and a
//     [ScriptCache] compiles them. What they find there is in redislib.go, lualib.go,
//     luatext.go and cjson.go.
//   - Commands that block, such as BLPOP, wait in order (blocking.go), and WAIT is read
//     in wait.go. Who watches or waits for a key is told what a command does to it
//     (attention.go).
//   - A server reads keys past all clients (read.go), and takes and replaces what they
//     hold as an [Image] (image.go). It hears of keys through its [Hooks].
//
// # What is not simulated
//
// One database; no cluster, access control or modules. A command that is not
// simulated is answered with an error, and noted: see [Keyspace.Missing]. A word that
// Redis does not know either is answered as Redis does. Scripts are bounded by a
// number of steps. XREAD does not block. There is no PUBSUB.
//
// The tests of package redis hold the keyspace to a real redis-server. Left out, or
// simpler, are:
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
package keyspace
