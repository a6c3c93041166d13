// Package results holds the plain data that campaigns, searches and reports
// exchange. A program that imports it links no engine: neither a simulation, nor a
// lock, nor a server.
//
// # A tour
//
//   - [Trial] is one run with its history, plan and verdicts (trial.go).
//   - [Campaign] adds up the runs of a scenario, with a [StrategyStats] for each use of
//     a strategy and a [CheckStats] for each check; results.json holds it (campaign.go).
//     [WriteJSON] and [Read] write and read it (file.go).
//   - [Expect] is what a scenario expects of a strategy (expect.go), [Bound] a limit that
//     it sets to a [Measure], and [BoundResult] what came of it (bounds.go,
//     measures.go).
//   - [SeedSet] lists seeds, and [Pair] compares two strategies seed by seed (seeds.go,
//     pairs.go).
//   - [Exploration] is what a search of placements found (exploration.go), and [Sweep]
//     how the rates depend on one [Axis] or two (sweep.go, axis.go).
//   - [Token] repeats one run exactly, and [Override] sets one value of a scenario
//     (token.go).
//   - [Wake] and [Heeds] are the assumptions that a report names (assumed.go), and
//     [FaultClasses] the classes by which strategies make their claims (classes.go).
package results
