// Package scenarios reads what a file says: an experiment, with its workload, its
// locks, its faults, and what is expected of them.
//
// # A tour
//
//   - [Scenario] is one experiment. [Parse] and [Load] read one and refuse what makes no
//     sense (scenario.go, parse.go; validate.go and the files beside it judge one section
//     each). [Scenario.Warnings] name settings that defeat each other (conflicts.go). The
//     built-in ones stand in the folder builtin. [Schema] describes such a file
//     (schema.go), and [Rewrite] writes one (rewrite.go).
//   - [Scenario.With] sets values that the file sets otherwise (vary.go); [ParseAxis]
//     reads the values that a sweep goes through (varyaxis.go).
//   - [Scenario.Uses] chooses the strategies that are run (uses.go), each under the
//     servers, settings and faults of its own (servers.go, network.go, cases.go), and
//     says what cannot be run (fit.go). [Scenario.Decides] tells which checks judge one.
//   - The lock's servers are of a family, such as Redis: [Families] lists them
//     (families.go).
//
// Nothing is carried out here. Each package below imports those before it:
//
//   - results has the plain data that campaigns, searches and reports exchange,
//   - workload has what workers do under a lock,
//   - run carries out one run of a scenario,
//   - campaign carries out many, adds them up, and keeps them in a journal,
//   - search looks for failures and makes them small.
//
// A program loads a scenario here and hands it to campaign.Run, run.Once, search.Explore
// and the like. Of the methods of [Scenario] those that answer for one use of a strategy or one
// worker (such as ParamsOf, HoldOf, FamilySettings, Token) are there for these packages.
package scenarios
