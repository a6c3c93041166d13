// Package holders derives the events of a lock's grants, for every family of simulated servers.
// After each command the server says who holds the lock now, and a [Ledger] compares that with who
// held it before. The name of the command does not matter:
//
//   - A new holder was granted the lock. If the command came from one worker, but only another
//     worker has named the owner before, then the grant belongs to the other worker, which was
//     waiting (waiting.go).
//   - A holder that is gone was freed, if a command caused that. It has expired if the clock caused
//     it, and was evicted otherwise.
//   - A holder whose lease ends at another time was renewed. A holder whose lease is over has
//     expired, even if its record stays. Another owner that takes over such a record frees nothing.
//
// For example, with the end of the lease in the value:
//
//	10.0 s  A sets "15:A"       granted to A until 15 s
//	12.0 s  A sets "17:A"       renewed until 17 s
//	17.0 s  no command          expired, and the record stays
//	17.3 s  B sets "22:B"       granted to B; A had expired, so it is not freed
//
// A lock may have a function [lock.Holders] that reads the holders from its records.
package holders
