// Package lock says what a lock must be to be tested, and what it can be put together
// from. It knows no server and no client library.
//
// # A tour
//
//   - [Strategy] runs one critical section; [WithLock] makes one of a [Locker],
//     whose [Lease] is one grant (lock.go).
//   - [Resource] is what is protected, and [Section] how the body of a
//     critical section reaches it.
//   - [Entry] is a strategy as the catalogue has it: the servers that it needs
//     ([Topology]), the faults under which it claims to hold ([Claims]), and the
//     function that makes it of its [Deps] (entry.go).
//   - [Family] is the strategies on one kind of lock servers, a package under lock such
//     as lock/redis. Package lock/locks lists the families.
//   - [Part] is one part of a lock, such as who renews the lease, and [Choice] has its
//     ways as values (part.go). [Params] name a way for each part, and set the numbers;
//     [Profiles] are numbers that go together. Three parts are the same in every family:
//     [Looks] (check.go), [Refusals] (refused.go) and [WrongEndings] (ending.go).
//   - [Holders] reads who holds a lock from its records at a server, for a lock
//     that is no plain string (holders.go); [ReadHolders] is the guess for a lock that
//     does not say (holdersdefault.go).
//   - [ErrNotObtained], [ErrLost], [ErrUnknown] and [ErrRefused] are what a
//     caller can be told (errors.go).
//
// Everything here, and in the families, takes time, tasks, contexts and random numbers
// from an env.Env, and runs in the simulation and on a real machine alike.
package lock
