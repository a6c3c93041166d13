// Package evidence derives from a history the facts that all checks need. It judges nothing, and computes
// each fact once, when a check first asks for it.
//
//   - [Evidence], in evidence.go, is the history with its sections. It says which operations took
//     effect and when, and when a section was entered, left and ended.
//   - [Ledger], in ledger.go, lists the grants of the lock servers. A [Grant] (grants.go) has one
//     exclusive holder, or several that share the lock (shared.go). An [Attempt] (attempts.go) has
//     the requests of a section that led to its grants.
//   - [Holding], in quorum.go, is the set of grants with which a section was let in. It counts the
//     servers that hold the lock for the section at each time.
//   - [Fault], in faults.go, is a fault with the time in which it was in force.
//   - stopped.go finds out when a worker or the servers were stopped or cut off by faults. Such times
//     are [Stretches] (stretches.go).
//   - names.go words a section and lists events for findings.
//   - order.go sorts lists that are nearly in order.
//
// The files use each other, so they are one package: [Evidence] keeps the results of all of them.
package evidence
