// Package run executes one run of a scenario in the simulation, and judges it.
//
//   - [Once] executes one run and returns all of it (once.go).
//   - A [Runner] executes runs one after another: it builds the world and starts the workers
//     (run.go), then runs the checks on the history (judge.go). Each run results in a
//     results.Trial.
//   - A worker runs the sections of its program (worker.go). Its recorder names the steps of a
//     section and writes its part of the history (recorder.go; calls.go for several locks), and
//     executes the operations of the workload (section.go).
//   - requests.go sends the requests of a section to the resource, transactional.go those of a
//     session of the lock's database. numbering.go numbers all requests of a run.
//   - cluster.go starts the servers of the lock through package backend, and links.go
//     sets the links that have their own latency. data.go starts the protected resource.
//   - faults.go applies the plan of faults to the world; hits.go finds out which of them hit anything.
//   - bylock.go judges a large run lock by lock; overflow.go stores its events in a temporary file.
//   - runend.go stops a run that makes no progress.
//   - [Arrivals] lists the points that workers reach (arrivals.go); a search places
//     faults at them.
//   - A [Pool] executes many runs in parallel, and reports one that hangs (pool.go).
//     [Runner.Repeats] checks that a run ends the same way twice (repeat.go).
package run
