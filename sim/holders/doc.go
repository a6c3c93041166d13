// Package holders finds out what became of the grants of a lock, for every
// family of simulated servers. A server says who holds a lock after each command,
// and a [Ledger] compares that with who held it before. What a command was called
// does not matter:
//
//   - A new holder was granted the lock. If its owner is a value that only another
//     worker named so far, the grant is that worker's: it waited, and the lock was
//     handed over.
//   - A holder that is gone was freed by a command. By the clock it has expired,
//     and by anything else it was evicted.
//   - A holder whose lease ends at another time was renewed. One whose lease is
//     over has expired, though its record may stay; who takes that over frees
//     nothing.
//
// For example, with the end of the lease in the value:
//
//	10.0 s  A sets "15:A"       granted to A until 15 s
//	12.0 s  A sets "17:A"       renewed until 17 s
//	17.0 s  nothing             expired, and the record stays
//	17.3 s  B sets "22:B"       granted to B
//
// [lock.Holders] reads the holders from the records, for a lock that says how.
package holders
