// Package bench measures how fast lockquake is, and beside it what people do
// without it. It holds benchmarks only; none of them decides a test.
//
// What is measured, each by the same lock with the same 20 workers, the same
// work and the same policy of asking again:
//
//   - the whole pipeline on one core: simulated, recorded and judged;
//   - the way of most test suites: goroutines, real sleeps and loopback TCP;
//   - goroutines in a synctest bubble, over connections in memory;
//   - the commands of a cycle alone, on a miniredis that makes a new Lua for
//     every script.
//
// Beside them stand the bare engine, by event, and the checks, by the length
// of a history.
//
// All of it in one process and one table, which names the machine:
//
//	make bench
//
// One of them, as any other Go benchmark:
//
//	go test ./internal/bench -run '^$' -bench Pipeline
package bench
