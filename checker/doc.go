// Package checker judges a history. Was the resource corrupted? Did two workers hold one lock at the same time? Did the
// fencing tokens exclude stale requests and no others?
//
// A check reads nothing but the history. So it judges a stored file or a live run as well as a
// simulated one, and the same history always gets the same results.
//
// # A tour
//
//   - [Run] judges a history by the named checks and returns a [Result] for each: a [Verdict], the
//     number of violations, and the first of them as [Finding] values. A finding is one sentence
//     with the events that show it.
//   - [Catalogue], in catalogue.go, lists the checks. A [Check] names the harm that it looks for,
//     how serious a violation is, and what counts as one violation. Each check has a file of its
//     own. Linearizable, lost-update, once, conserved, bounds, torn-read, exclusion, capacity, belief and fencing judge the
//     data and who was let in. Told, recovery, progress, errors, ownership, needless-loss, stampede and load judge how the
//     lock and its work served their users.
//   - bylock.go judges a run whose events are given lock by lock.
//   - result.go has the [Result], check.go the [Check], and input.go the history as a check reads
//     it. limits.go has the time limits of the checks. answer.go reads the answer of a strategy:
//     whether it is unsure, or only the error of the work. serious.go ranks checks.
//   - interval.go is shared by exclusion and belief. spins.go is the part of load that bounds the requests of one
//     acquisition. turnedaway.go is the part of progress that finds free locks that refuse all workers,
//     unheeded.go the part that finds acquires that ignore the end of their context.
//   - measure.go computes the [Metrics]: the figures that a monitor of the lock would show, and its costs. finished.go
//     counts the jobs, terms.go the workers that considered themselves the holder at the same time.
//   - The package checker/internal/evidence derives from a history the facts that all checks need: which operations
//     took effect, which worker held which grant, and which worker was stopped or cut off.
//   - The package checker/internal/linear decides whether some order of steps explains what they
//     read. The package checker/internal/spread counts durations.
//   - The package checker/stored judges lists of operations that other tools recorded, such as
//     Jepsen.
//
// # What took effect
//
// If the history has the resource's own record (its applied events), that record decides. A write
// whose outcome the worker never learned took effect if the resource accepted it, and did not if it
// never arrived. Without a record the worker's report decides: ok took effect, fail did not, and
// info may have taken effect, at any time from its call to the end of the history.
//
// # Order
//
// Events are ordered by sequence number only. Two events at one virtual instant still have an
// order, and a stale read at that instant is still stale.
//
// # Bounds
//
// All checks but linearizable take one or two passes over sorted events. Linearizability is hard in
// general. That check first tries the order in which the effects happened; if the model allows it,
// the history is linearizable. Then it looks for a simple contradiction: more steps that
// replaced a value than the value allows. If neither decides, it searches with porcupine. The search
// is bounded in steps and memory, never in time. If it reaches a bound, the verdict is [Unknown], and
// that is never a pass.
//
// # Adding a check
//
// Write its function in a file of its own. Write a test beside it with a table of histories that
// the check must accept or reject. Add one entry to [Catalogue].
package checker
