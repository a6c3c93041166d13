// Package scenarios puts everything together: it reads a scenario from YAML,
// carries out its runs in the simulation, lets the checks judge them, and adds
// up what was seen.
//
// # A tour
//
//   - [Scenario] is one experiment. [Parse] and [Load] read one and refuse what
//     makes no sense (scenario.go, parse.go, validate.go); the built-in ones
//     stand in the folder builtin. [Schema] describes such a file (schema.go).
//   - [campaign.Run] carries out a campaign: all strategies over all seeds (campaign.go, its
//     options in options.go, its jobs in jobs.go).
//     [campaign.Once] carries out one run and keeps all of it as a [results.Trial] (run.go).
//   - Package workload has what workers do under a lock. A recorder is between a
//     worker and the world: it names the steps of a section, writes its part of the
//     history (recorder.go), and carries out what a workload asks for (section.go).
//   - The lock's servers are of a family, such as Redis: families.go lists them, and
//     cluster.go starts the servers of a run through package backend.
//   - The plan of faults is carried out on the world in faults.go.
//   - A campaign leaves a [results.Campaign]: rates, intervals, a verdict against what
//     the scenario expects, and the first failure of each check (sum.go). Package
//     results has the plain data of campaigns and searches.
//   - A [campaign.Journal] is a file that keeps the runs of a campaign as they end, to go on
//     with when it was stopped (journal.go; what is in a line in
//     journalrecord.go). [campaign.Merge] adds up the runs of several (journalmerge.go).
//   - [search.Explore] places a fault at every point of a small run (explore.go; the
//     points in exploreplaces.go, what it finds in exploresum.go), and [search.Shrink]
//     makes a failing run small (shrink.go; by which ways, in shrinkways.go).
//     Both note where workers come by (arrivals.go), fix faults to a moment or a
//     point (faultsfixed.go), and can leave a scenario file of its own: [Rewrite]
//     (shrinkfile.go).
//   - [Scenario.With] sets values that the file sets otherwise (vary.go). [search.Sweep] runs
//     a scenario over the values of one [results.Axis] or two, and [search.Find]
//     bisects for the value at which each strategy breaks (varyaxis.go, sweep.go,
//     sweepfind.go).
package scenarios
