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
//   - [Expect] is the expectation of a scenario for a strategy (expect.go), [Bound] its limit
//     for a [Measure], and [BoundResult] the result (bounds.go, measures.go).
//   - [SeedSet] lists seeds, and [Pair] compares two strategies seed by seed (seeds.go,
//     pairs.go).
//   - [Exploration] holds the results of a search of placements (exploration.go), [Sweep]
//     the rates of strategies by the values of one [Axis] or two (sweep.go, axis.go).
//   - [Matrix] holds the results of all strategies for each need (matrix.go), [Advice] the answer of advise (advice.go),
//     [Yearly] an estimate of failures per year (yearly.go).
//   - cost.go has the costs of a lock, reasons.go why a result is unknown.
//   - [Token] repeats one run exactly, and [Override] sets one value of a scenario
//     (token.go).
//   - [Wake] and [Heeds] are assumptions that a report names (assumed.go), and
//     [FaultClasses] the classes of faults that claims refer to (classes.go).
package results
