// Package faults says what goes wrong in a run, and when.
//
// A scenario has a list of rules, such as "each worker pauses every 20 s or
// so". From the rules and a seed follows a plan: every single fault of one
// run with its moment, its target and its length. The plan is made before the
// run begins and is data, so it can be printed, edited by hand, shrunk,
// parsed and carried out again, on the simulation or on real servers.
//
// # A tour
//
//   - [Fault] is what goes wrong, with the parameters of its kind, such as [Pause].
//   - [Spec] is one rule; [Spec.Validate] refuses what makes no sense, with a
//     [ParamError] that names the parameter.
//   - [Generate] makes a [Plan] of rules, a seed, the workers and the duration.
//   - [Step] is one line of a plan: a moment, or a point of a worker's work
//     ([When]), a length, and a Fault.
//   - [Plan.String] and [ParsePlan] are the text form, one line a step.
//   - [Drive] carries a plan out on a [Target].
//   - [Kinds] is the catalogue of what can go wrong.
//
// # The kinds
//
// A pause stops all tasks of a worker's process while its clocks run on. A
// hold keeps one message under way, a drop loses it and breaks the connection
// that it was on. A partition cuts a link in one direction for every message
// that arrives while it lasts.
//
// A pause of a server freezes it. A crash of one is a loss of power, or with other
// words for what is left of its data a kill of its process, or a disk that is lost.
// Overload, stale, failover, delete and evict are of servers only. Where a
// server is named, "lock" stands for all servers of the lock, or for the
// primary of a replicated one, whatever a strategy has; a name that it does not
// have is not hit, so that one plan serves every strategy. Kinds that are
// instant, such as a reset, take no length.
//
// A fault falls at a moment (at), again and again (every), or when a worker
// comes to a point for the nth time (when). Times are those of the run, from
// 0. Each fault begins before the duration of the run and lasts for its whole
// length; its target ends it.
//
// # A new kind
//
// It is a file with a struct, a test, and one line in [Kinds]. The struct has the
// parameters, with yaml and doc tags, and embeds what it takes hold of: [OnWorker],
// [OnNode], [OnServer], [OnLink], [OnMessage] or [OnRequest]. Its methods are those of
// [Fault], and those of these that it needs:
//
//   - check, words and read, if it has parameters of its own;
//   - complete, if a parameter has a default;
//   - needs, if it hits nothing without something in the scenario ([Need]);
//   - places, if a search can place it ([Place]);
//   - EndsLease, if it takes leases away.
//
// Apply asks the target for a method by an interface of its own, so a kind that does
// something new adds a method to the targets that can do it, and the others say that they
// cannot. No other package tells kinds apart.
package faults
