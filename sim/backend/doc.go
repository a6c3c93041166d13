// Package backend defines the interface between the runner and the families of lock
// servers, such as Redis.
//
// A [Family] has a name, its locks and its settings, and starts a [Cluster]: the lock
// servers of one run. A cluster gives each process the clients that the strategies of
// the family use. For each fault of servers that it can run, a cluster implements one
// more interface: [Crasher], [Promoter], [Elector], [Deleter], [Evictor], [StaleReader], [Refuser].
// Package sim itself runs the faults of links, clocks and whole machines.
//
// # To add a family
//
//  1. Write a package under lock with the port (the clients that a strategy gets) and
//     the strategies.
//  2. Write a package under sim with the servers, and a function that returns the
//     Family. The servers implement sim.Server, and report each grant by
//     [Locks].Record.
//  3. Add its import and one line to Families in scenarios/families.go.
//
// # Settings
//
// A family has two structs with yaml tags. A scenario can set the keys of
// Family.Settings at its top, for one use of a strategy, and for one worker (each). It can
// set the keys of Family.ServerSettings in servers, beside those that all families share.
// No two families may have the same key, so a family uses its name as the key:
//
//	toy: {polls: 3}
//
// The decoder, the validation, the JSON Schema and the reference read the structs. The
// tag doc explains a key, and the tags min and max bound a number or a duration. A type
// with a method Known() []string accepts only the words that this method lists.
package backend
