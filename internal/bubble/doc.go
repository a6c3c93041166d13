// Package bubble runs code that knows nothing of lockquake as a process of a simulated world: with its own
// goroutines, timers, contexts and select.
//
// Each process is a synctest bubble, whose clock stands still unless the world moves it. A goroutine outside of
// the bubble, the agent's partner, drives it with four commands: move the clock, start a call, deliver a
// result, end. After each command the agent waits until every goroutine of the bubble is durably blocked, and
// returns what they ask the world for (agent.go). So the bubble and the tasks of the world never run at the same
// time, and the same seed gives the same order.
//
//   - [New] makes the bubble of a process. It implements sim.Outsider (bubble.go).
//   - [Bubble.Call] lets a task of the world execute a function in the bubble (call.go).
//   - [Bubble.Ask] lets a goroutine of the bubble execute a function in a task of the world, such as a request
//     to a simulated server (ask.go).
//   - [LateTimers] returns why the timers of this Go cannot be late, or nil (timers.go).
//   - A goroutine that waits for a mutex is durably blocked too (mutexes.go).
//   - [Seed] makes the random numbers of the Go runtime's users repeatable (seed.go).
//   - [Hanging] finds the goroutines that keep a bubble from going on (hanging.go).
//
// # Pauses
//
// While its process is paused, a bubble does not move: its timers, goroutines and replies all stand still. On waking its clock
// has the time of the waking, and each late timer is delayed to the end of the lag of a processor that the world draws
// ([Bubble.Wake]). So the code that a late timer starts reads the time at which the timer fires, and sets new timers from there.
//
// In this example two timers of 1 and 2 s and a ticker of 3 s are late after a pause from 0.5 to 10.5 s. The processor of
// all three takes a lag of 100 us:
//
//	10.5 s           the clock moves to the waking, and no timer fires
//	10.5001 s        the timer of 1 s fires, and all goroutines run until they wait
//	10.500100001 s   the timer of 2 s fires
//	10.500100002 s   the ticker sends one tick, that of 3 s
//	12 s             the ticker sends its next tick
//
// The runtime of Go cannot fire a timer late in a bubble. The delay changes the times of timers in its memory
// (timers.go), whose layout is known for one version of Go and checked once for each program ([LateTimers]). If the
// layout is another one, the clock catches up timer by timer instead: the code that a late timer starts reads the
// time for which the timer was set, and a deadline that it sets may be over before the process has woken.
package bubble
