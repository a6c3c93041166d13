// Package env separates a lock from the machine that it runs on.
//
// A lock needs two clocks, sleep, tasks, contexts that end, random numbers and names for its steps.
// [Env] provides these. Package sim implements it in virtual time, and [Real] with the machine's
// clocks and goroutines. So the code that was tested in the simulation is the code that runs in
// production.
//
//	lease, err := locker.Acquire(ctx, "invoice-42") // locker was built with env.Real()
package env
