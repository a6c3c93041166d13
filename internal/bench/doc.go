// Package bench measures how fast lockquake is, and compares that with the usual ways of testing a
// lock. It has only benchmarks; none of them is a test.
//
// The same lock with the same 20 workers, the same work and the same retry policy is measured in
// four ways:
//
//   - the whole pipeline on one core: simulated, recorded and judged;
//   - the way of most test suites: goroutines, real sleeps and loopback TCP;
//   - goroutines in a synctest bubble, over connections in memory;
//   - only the commands of a lock cycle, on a miniredis that makes a new Lua state for every
//     script.
//
// The bare engine is measured per event, and the checks by the length of a history. Runs with increasing
// numbers of workers, and with increasing virtual time, are compared with linear growth; the largest need
// the flags -big and -timeout 2h.
//
// This prints one table, which names the machine, and then a line for each of these runs:
//
//	make bench
//
// Machines differ, and one machine differs from hour to hour. This compares the speed with that of an older revision
// on the same machine; the two take turns:
//
//	make bench-against REV=9fe3003
//
// This runs one benchmark, as any other Go benchmark:
//
//	go test ./internal/bench -run '^$' -bench Pipeline
package bench
