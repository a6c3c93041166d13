// Package advise answers the question whether a lock is safe with the pauses, the latency and the
// work of its user.
//
//   - inputs.go has the [Inputs], questions.go the [Question] of each of them with its default.
//     library.go has the names of libraries, distribution.go reads durations as people write them: "up to 3s", "p99 50ms".
//   - [Inputs.Scenario] writes the scenario: write.go its text, world.go its times, locks.go the lock
//     in question and alternatives to it, causes.go the faults that the servers of the lock can have.
//   - [Run] runs it (run.go): each lock under each cause that applies to it. ttl.go searches for the
//     smallest TTL, vary.go varies each assumption, gaps.go lists what is not simulated. pace.go estimates the share of the
//     runs that is done.
//
// The answer is a [results.Advice]: plain data, which package reports prints. The number of runs
// depends on the number of requests that a run sends, and not on a clock. So the same inputs give the
// same answer on every machine.
package advise
