// Package kubernetes implements leader elections over Lease objects of Kubernetes, as in package leaderelection of client-go
// 0.37: a candidate reads the Lease, and writes its name into it on condition that the Lease still has the resource version
// that it has read.
//
//   - elector.go: an elector is one candidate. It decides from each answer as the LeaderElector and the LeaseLock of
//     client-go do.
//   - campaign.go: a candidate tries until it is elected.
//   - leadership.go: a leader renews its lease every retry period. It steps down if no renewal has succeeded
//     within the renew deadline.
//   - overlapping.go: a published flaw, campaigns that overlap.
//   - [Family] lists the presets (presets.go). Those without a known bug claim that checks hold (claims.go).
//   - [Port] has the client of a strategy (port.go); a [Lease] is an object of the API (object.go).
//
// # Time
//
// No candidate compares a time in the record with its own clock. It takes over when it has seen no change of the
// record for the length of the lease, by its own monotonic clock. So a clock with an offset does no harm, but a clock
// with a wrong rate does: a leader gives up 12 s after its last renewal by its own clock (the retry period and the
// renew deadline), and a candidate takes over 15 s after the last change that it has seen.
//
// A candidate compares records whose times have a precision of a second, as client-go does. The length of a lease is a
// whole number of seconds; the API server refuses one of 0 s.
//
// # What client-go does not do
//
// The LeaderElector does not stop the work when it reads that another candidate leads. It tries to renew until the
// renew deadline. So a leader that was paused for longer than its lease continues to act for another 10 s after
// waking. If the successor has released the lease by then, it takes the lease again, and the work is not told. Its
// fencing token is that of its old election, so the resource refuses its writes even then.
//
// Two things are done here beyond client-go. A candidate that gives up undoes a write of unknown outcome. A leader
// frees its lease only after its work, and only if the Lease that it reads still names it.
//
// # Why not client-go itself
//
// In the simulation all tasks are coroutines in virtual time. The LeaderElector starts goroutines, and waits in select
// for timers of package time: it would run in real time, and in an order that does not follow from the seed. A test in
// internal/clientgo runs it in a testing/synctest bubble instead, and compares its requests with those of this
// package.
package kubernetes
