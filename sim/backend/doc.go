// Package backend is the seam between the runner and the families of lock servers,
// such as Redis: what the runner asks of a family, and nothing of how it works.
//
// A [Family] names itself and its settings, and starts a [Cluster]: the servers of a
// lock in one run. A cluster gives each process the clients that the strategies of the
// family use. Which faults of servers it can carry out is what else it implements, as
// with io.Seeker: [Crasher], [Promoter], [Deleter], [Evictor], [Staler], [Refuser].
// Faults of links, clocks and whole machines need nothing of a family, since package
// sim carries them out.
//
// # To add a family
//
//  1. A package under lock has its port (what a strategy asks of the servers) and its
//     strategies, whose Entry.Family is the name of the family.
//  2. A package under sim has its servers, which implement sim.Server and tell of
//     grants through [Locks].Record, and a function that returns its Family.
//  3. The list of families in package scenarios gets one line.
//
// # Settings
//
// A family has two structs with yaml tags. The keys of Family.Settings stand at the
// top of a scenario, in a use of a strategy and in an entry of each; the keys of
// Family.ServerSettings stand in servers, beside those that all families share. No
// two families may have a key in common, so a family calls its key as itself:
//
//	toy: {polls: 3}
//
// The decoder, the validation, the JSON Schema and the reference all read the structs:
// the tag doc says what a key means, min and max bound a number or a duration, and a
// type with a method Known() []string has no other words.
package backend
