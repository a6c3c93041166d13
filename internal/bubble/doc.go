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
// waking its clock catches up with that of the node, through each timer that came due meanwhile. The clock of a
// bubble cannot skip a timer, so code behind a late timer reads the timer's time until it next asks the world
// for something. What it asks for leaves at the time of waking. Every call of the world comes after the
// catching up, and reads the time of waking.
package bubble
