// Package checker judges a history: was the resource corrupted, did two
// workers hold one lock, did the fence keep the stale out and nobody else?
//
// It sees nothing but a history, so it judges a stored file or a live run as
// well as a simulated one, and the same history always gets the same results.
//
// # A tour
//
//   - [Run] judges a history by checks named in [Names] and returns a [Result]
//     for each: a [Verdict], how many violations, and the first of them as
//     [Finding] values, one sentence with the events that show it.
//   - [Catalogue], in catalogue.go, lists the checks, what each is about and how
//     serious a violation is. Each is in a file of its own:
//     linearizable, lost-update, once, exclusion, belief and fencing judge what
//     became of the data and who was let in; told, recovery, progress, errors,
//     ownership, needless-loss and load judge how the lock served those who used
//     it. A [Check] says what one violation of it is.
//   - input.go holds what every check asks of a history: what took effect and
//     when, and when a section entered, left and ended.
//   - model.go says what a resource may do with values and tokens; search.go
//     looks for an order of operations that the model allows, and heirs.go for
//     the plainest proof that there is none.
//   - interval.go holds what exclusion and belief share; spins.go is the part of
//     load that bounds what an acquisition costs.
//   - turnedaway.go is the part of progress that judges rows of sections.
//   - grants.go keeps a ledger of what the lock servers did, grant by grant: one
//     exclusive holder of a lock, or several that share it (shared.go). quorum.go
//     counts the servers that hold a lock for its owner at each moment;
//     stopped.go of who stood still when, by the effects that fault events have; bounds.go holds the bounds in time.
//   - The package checker/stored judges a list of operations that others wrote,
//     as Jepsen leaves one behind.
//
// # What took effect
//
// Where a history has the resource's own record (its applied events), that
// record decides: a write whose outcome nobody told the worker took effect if
// the resource accepted it, and did not if it never arrived. Without a record
// the worker's word is all there is: ok took effect, fail did not, and info
// may or may not have, at any time from its call to the end of the history.
//
// # Order
//
// All order is that of sequence numbers. Two events at one virtual instant
// still have an order, and a stale read at that instant is still stale.
//
// # Bounds
//
// All checks but linearizable take a sorted pass or two. Linearizability is
// hard in general, so that check first tries the order in which the effects
// happened, which is proof if it fits, then counts who went on from which
// value, and searches with porcupine only if neither decides. The search is bounded in steps and memory, never in time. What it
// cannot decide within them is [Unknown], and that is never a pass.
//
// # Adding a check
//
// Write its function in a file of its own, with a table of stories that it
// must accept and refuse beside it, and add one entry to [Catalogue].
package checker
