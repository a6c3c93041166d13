// Package sim runs one seeded world: nodes with clocks that may be wrong, processes that may stop,
// a network that may be slow or cut, and tasks that run one at a time in virtual time. It knows
// nothing about locks.
//
// The same seed gives the same events in the same order, and a trace that is equal byte for byte,
// on any machine. Nothing here reads the machine's clock, works in parallel, or takes an order from
// a map.
//
// # A tour
//
//   - [World] has the event queue and runs it (world.go, queue.go).
//   - [Node] is a machine with a wall clock and a monotonic clock (node.go, clock.go). It can be
//     suspended or frozen (suspend.go).
//   - [Process] runs on a node. It can be paused or crash (process.go), wakes with a lag
//     (waking.go) and can exit (exit.go).
//   - [Worker] belongs to a process and implements env.Env for the lock that it uses (worker.go). A
//     crashed worker can be restarted, and one of its tasks stalled (suspend.go).
//   - A task is a coroutine that parks until an event wakes it (task.go, coroutine.go).
//   - Contexts and semaphores work in virtual time (context.go, sem.go).
//   - [Conn] carries requests to a [Server] (conn.go). The effect of a request and its reply are two
//     events. A server can push a message to a client (push.go), take time for a request
//     (service.go), crash (serverdown.go), send a message to another server (between.go), wait until
//     a link is open (whenopen.go) and set a timer on its monotonic clock (monotimer.go).
//   - A link can be cut (network.go), or delay and lose messages (impair.go). Kernels end connections
//     that they cannot reach (keepalive.go). A single message can be held, dropped, duplicated,
//     reordered or answered with an error, at the point where it is sent (messagefault.go).
//   - Faults are tied to points, named steps of a worker (points.go).
//   - An [Outsider] is code that runs in goroutines of its own (outsider.go). foreign.go finds other
//     goroutines that are not tasks.
//   - Every event enters the trace, whose checksum identifies the run (trace.go, stamp.go).
//
// # Time
//
// True time is the number of nanoseconds since the run began. A node's clocks are functions of it,
// each with an offset and a rate. A timer belongs to the monotonic clock of its node.
//
// A paused process runs nothing, while its clocks run on. When it wakes, a task in the middle of a
// step continues at once. Each of the Config.Cores processors, and the network poller, first takes
// a lag that is drawn from Config.WakeLag. Then a processor handles its share of the late timers,
// which is drawn, and the poller the late messages. waking.go has an example.
package sim
