// Package env is the seam between a lock and the machine that it runs on.
//
// A lock needs two clocks, sleep, tasks, contexts that end, random numbers
// and names for its steps. [Env] is exactly that. Package sim implements it
// in virtual time; [Real] implements it with the machine's own clocks and
// goroutines, so that a lock that was shaken in the simulation is the same
// code that goes into production.
//
//	lease, err := locker.Acquire(ctx, "invoice-42") // locker was built with env.Real()
package env
