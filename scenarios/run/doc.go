// Package run carries out one run of a scenario in the simulation, and judges it.
//
//   - [Once] carries out one run and keeps all of it (once.go).
//   - A [Runner] carries out runs one after another: it makes the world, lets the workers
//     work, and lets the checks judge the history (run.go). Each run leaves a
//     results.Trial.
//   - A recorder is between a worker and the world: it names the steps of a section,
//     writes its part of the history (recorder.go), and carries out what a workload asks
//     for (section.go).
//   - The servers of the lock are started through package backend (cluster.go), and links
//     with a latency of their own are set (links.go).
//   - The plan of faults is carried out on the world in faults.go.
//   - runend.go says when a run that makes no progress is over.
//   - [Arrivals] notes the points that workers come to (arrivals.go); a search places
//     faults at them.
//   - A [Pool] carries out many runs at once, and reports one that hangs (pool.go).
//     [Runner.Repeats] tells whether a run ends the same way twice (repeat.go).
package run
