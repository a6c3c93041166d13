// Package lock defines the interface of the locks under test, and the parts that all
// families of locks share. It imports no server and no client library.
//
// # A tour
//
//   - lock.go: a [Strategy] runs one critical section. [WithLock] turns a [Locker], whose [Lease]
//     is one grant, into a Strategy. The lock protects a [Resource]; the body of a section uses it
//     through its [Section]. A [Sharer] has a mode for sections that only read, a [Semaphore] has
//     permits, and a [MultiLocker] locks several keys. [SharedRecipe] and [PermitRecipe] (modes.go)
//     make the first two from Lockers.
//   - conditional.go: a [Conditional] resource has conditional writes, for strategies
//     without a lock. Such a strategy calls [Again] before it repeats the work.
//   - need.go: a [Need] is what a strategy needs of the work.
//   - errors.go: a caller gets [ErrNotObtained], [ErrLost], [ErrUnknown],
//     [ErrConflict] or [ErrRefused].
//   - entry.go: an [Entry] is a strategy in the catalogue. It has the servers that the strategy
//     needs ([Topology], topology.go), the faults under which it claims to hold ([Claims],
//     claims.go), and the function that makes it from its [Deps]. A [Family] has the strategies on
//     one kind of lock servers. Each family is a package under lock, such as lock/redis.
//   - part.go: a [Part] is one part of a lock, such as the renewal of its lease. A [Choice] has a
//     value for each way to make it. Every family has the parts [LeaseChecks] (check.go),
//     [Refusals] (refused.go) and [FlawedEndings] (ending.go).
//   - params.go: [Params] name the way of each part, and set the numbers. [Profiles] are
//     numbers that go together (profiles.go).
//   - preset.go: a [Change] turns a recipe into a preset, and [Params.Complete] sets the parts that
//     the preset does not name.
//   - process.go: [Shared] keeps a value that the workers of one process share. none.go is
//     the strategy without a lock.
//   - holders.go: [Holders] reads the holders of a lock from its records at a server.
//     [ReadHolders] reads those of a lock that has no such function
//     (holdersdefault.go).
//
// All locks take time, tasks, contexts and random numbers from an env.Env. So the same
// code runs in the simulation and on a real machine.
package lock
