// Package faults defines what goes wrong in a run, and when.
//
// A scenario has a list of rules, such as "each worker pauses about every 20 s".
// The rules and a seed determine a plan: a list of all faults of one run, each
// with its moment, its target and its length. The plan is made before the run
// begins. It is data, so it can be printed, edited by hand, shrunk, parsed and
// run again, in the simulation or on real servers.
//
// # A tour
//
//   - [Fault] is one fault with the parameters of its kind, such as [Pause] (fault.go).
//   - [Spec] is one rule; [Spec.Validate] returns a [ParamError] that names the
//     wrong parameter (validate.go).
//   - [Generate] makes a [Plan] from rules, a seed, the workers and the duration (generate.go).
//   - [Step] is one line of a plan: a moment, or a point of a worker's work
//     ([When]), a length, and a Fault.
//   - [Plan.String] and [ParsePlan] write and read the text of a plan, one line per step (text.go).
//   - [Drive] applies a plan to a [Target] (drive.go).
//   - [Scene] has the facts for the sentences of a story (story.go).
//   - [Kinds] is the catalogue of all kinds of faults (kinds.go). Each has a file by its name:
//     answer-errors, cancel, clock-rate, clock-step, crash, delete, drop, duplicate, error, evict,
//     failover, hold, latency, leader-change, loss, overload, overrun, partition, pause, reorder,
//     reset, stale, stall and suspend. Their sorts of targets are in onlink.go, onmessage.go,
//     onnode.go (workers, too), onserver.go and onkeys.go.
//
// # The kinds
//
// A pause stops all tasks of a worker's process while its clocks run on. A
// hold delays one message. A drop loses one message and breaks its connection. A
// partition cuts a link in one direction for every message that arrives while it
// lasts.
//
// A pause of a server freezes it. A crash of a server is a loss of power by
// default; its parameter data can make it a kill of the process, or the loss of a
// disk. Overload, stale, failover, leader-change, delete, evict and answer-errors
// hit servers only. The server name "lock" stands for all servers of the lock, or
// for the primary if the lock is replicated. One plan serves every strategy: a
// step that names a server which a strategy does not have hits nothing. Instant
// kinds, such as reset, have no length.
//
// A fault begins at a moment (at), repeatedly (every), or when a worker reaches a
// point for the nth time (when). Times count from the beginning of the run. A
// fault with at or every begins before the duration of the run is over. A fault
// may last longer than that duration. The [Target] of the plan ends it.
//
// # A new kind
//
// A new kind costs a file with a struct, a test, and one line in [Kinds]. The struct
// has the parameters, with yaml and doc tags, and embeds its sort of target: [OnWorker],
// [OnNode], [OnServer], [OnKeys], [OnLink], [OnMessage] or [OnRequest]. It implements [Fault]. The
// embedded type has the methods check, words and read; a kind with parameters of its own extends
// them. All but OnNode also have the method Ends of an instant kind. These methods are optional:
//
//   - complete, if a parameter has a default;
//   - needs, if it has an effect only in some scenarios ([Need]);
//   - places, if a search can place it ([Place]);
//   - supported, if it needs a method of the lock servers that a family may not have;
//   - EndsLease, if it can end a lease.
//
// Apply calls one method of the target, through a small interface that the kind defines.
// Apply returns an error if the target does not have that method. A kind with a new effect also
// needs a method in scenarios/run/faults.go. A new fault of lock servers also needs an interface in
// sim/backend/faults.go that each family implements. No other package distinguishes kinds.
package faults
