// Package sim runs one seeded world: nodes with clocks that may be wrong,
// processes that may stop, a network that may be slow or cut, and tasks that
// run one at a time in virtual time. It knows no locks.
//
// The same seed gives the same events in the same order, to the byte of the
// trace, on any machine. Nothing in here reads the machine's clock, starts
// work in parallel, or takes an order from a map.
//
// # A tour
//
//   - [World] holds the event queue and runs it (world.go, queue.go).
//   - [Node] is a machine with a wall clock and a monotonic clock (node.go,
//     clock.go); [Process] runs on it and can be running, paused or crashed
//     (process.go, waking.go); a node can be suspended or frozen, a task stalled and a
//     crashed worker restarted (suspend.go); a process can end itself (exit.go);
//     [Worker] is what a process works for, and implements env.Env (worker.go).
//   - A task is a coroutine that parks until something wakes it (task.go). How
//     it parks is hidden behind the thread interface (thread.go), so that
//     goroutines in a synctest bubble can take its place.
//   - Contexts and semaphores live in virtual time too (context.go, sem.go).
//   - [Conn] carries requests over a link (network.go, conn.go); a [Server]
//     answers them. The effect of a request and its reply are two events. A
//     server can crash (serverdown.go) and take its time (service.go).
//   - A link can be cut (network.go), or delay and lose messages (impair.go). One
//     message can be held, dropped, duplicated, overtaken or answered with an
//     error, at the point at which it is sent (messagefault.go).
//   - Every event goes through the trace, whose checksum names the run
//     (trace.go).
//
// # Time
//
// True time is a number of nanoseconds since the run began. A node's clocks
// are functions of it, each with an offset and a rate. A timer belongs to the
// monotonic clock of its node.
//
// A paused process runs nothing, while its clocks go on. When it wakes, a task at
// work goes on at once. Each of its Config.Cores processors, and its network
// poller, takes a lag of Config.WakeLag; then it sees those late deadlines that
// are drawn to be its own, or the late messages (waking.go).
package sim
