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
//   - [Seed] makes the random numbers of the Go runtime's users repeatable (seed.go).
//   - [Hanging] finds the goroutines that keep a bubble from going on (hanging.go).
//
// # Pauses
//
// While its process is paused, a bubble does not move: its timers, goroutines and replies all stand still. On
// waking its clock catches up with that of the node, through each timer that came due meanwhile. Code behind such a
// late timer reads the timer's time, and sets new timers from there. What it asks for leaves at the time of waking.
// Every call of the world comes after the catching up, and reads the time of waking.
//
// A stopped process differs: on waking its clock has the time of waking at once, all late timers fire then, and a
// deadline that is set behind one counts from the waking. A bubble cannot do this: the runtime sets its clock to the
// time of the earliest timer, fires that, and runs all goroutines until they wait, before the next timer
// (synctestRun in runtime/synctest.go of Go 1.26). No function moves the clock beyond a timer, and the runtime ends
// the program if a timer is earlier than the clock. So a run shows what a process does that is woken for an instant
// at each of its late timers.
package bubble
