// Package lock holds the locks under test, and what any lock must be to be
// tested.
//
// # A tour
//
//   - [Strategy] runs one critical section; [WithLock] makes one of a [Locker],
//     whose [Lease] is one grant (lock.go).
//   - [Resource] is what is protected, and [Section] how the body of a
//     critical section reaches it.
//   - [Catalogue] lists every strategy with what it hands to the resource
//     (catalogue.go), the servers that it needs ([Topology]), and the faults under
//     which it claims to hold ([Claims]); [Params] are the parts and the numbers that
//     it is made of, and [Profiles] numbers that go together.
//   - [Holders] reads who holds a lock from its records at a server, for a lock
//     that is no plain string (holders.go); [ReadHolders] is the guess for a lock that
//     does not say (holdersdefault.go).
//   - The Redis strategies are one locker with parts (redis.go, redislease.go,
//     redisrenewal.go, reaper.go). Its requests go to one server, or to all of several
//     with a quorum to decide (redlock.go).
//   - [ErrNotObtained], [ErrLost], [ErrUnknown] and [ErrRefused] are what a
//     caller can be told (errors.go).
//
// Everything here takes time, tasks, contexts and random numbers from an
// env.Env, and runs in the simulation and on a real machine alike.
package lock
