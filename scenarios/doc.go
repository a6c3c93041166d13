// Package scenarios puts everything together: it reads a scenario from YAML,
// carries out its runs in the simulation, lets the checks judge them, and adds
// up what was seen.
//
// # A tour
//
//   - [Scenario] is one experiment. [Parse] and [Load] read one and refuse what
//     makes no sense (scenario.go, parse.go, validate.go); the built-in ones
//     stand in the folder builtin. [Schema] describes such a file (schema.go).
//   - [Run] carries out a campaign: all strategies over all seeds (campaign.go).
//     [RunOnce] carries out one run and keeps all of it as a [Trial] (run.go).
//   - What workers do under a lock is a workload (workload.go, and a file for
//     each). A recorder stands between a worker and the world, names its steps,
//     and writes its part of the history (recorder.go).
//   - The plan of faults is carried out on the world in faults.go.
//   - [Campaign] is what is left: rates, intervals, a verdict against what the
//     scenario expects, and the first failure of each check (sum.go, result.go).
//   - [Token] is one line that repeats a run exactly (token.go).
package scenarios
