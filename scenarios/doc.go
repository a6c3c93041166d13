// Package scenarios reads scenario files. A scenario is an experiment with a workload, locks,
// faults and expectations.
//
// # A tour
//
//   - [Scenario] is one experiment. [Parse] and [Load] read one and refuse what is
//     invalid (scenario.go, parse.go). validate.go checks the scenario section by section;
//     validate*.go have the larger sections, and validatevalue.go the checks of single values.
//     dist.go reads the files of distributions. [Scenario.Warnings] name settings that contradict
//     each other (conflicts.go). The built-in ones are in the folder builtin (builtin.go).
//     [Schema] describes such a file (schema.go), and [Rewrite] writes one (rewrite.go).
//   - [Scenario.With] overrides values of the file (vary.go), [Scenario.WithPauses] the lengths of
//     its pauses by those of a log (pauses.go); [ParseAxis] reads the values of a sweep
//     (varyaxis.go).
//   - [Scenario.Uses] selects the strategies to run (uses.go), each with its own servers, settings
//     and faults (servers.go, network.go, cases.go), and refuses what cannot run (fit.go).
//     library.go finds the strategy nearest to a library, meets.go whether a use can meet a fault,
//     bylock.go whether its large runs are judged lock by lock, line.go its line in the file.
//     setup.go lists the settings that its rates depend on. [Scenario.Decides] reports whether a
//     check decides for a strategy.
//   - bounds.go reads bounds on measures, heeds.go how far work heeds its context, own.go the
//     strategies of the caller. known.go lists the names that a file can use, decides.go the
//     checks that decide.
//   - The lock servers belong to a family, such as Redis: [Families] lists the families
//     (families.go).
//
// This package runs nothing. It imports libraries, results and workload; the other packages in this list import
// it. Of the packages in this list, each imports only earlier ones:
//
//   - libraries has the libraries that lockquake knows by name,
//   - results has the plain data that campaigns, searches and reports exchange,
//   - workload has the work of the workers under a lock,
//   - run executes one run of a scenario,
//   - campaign executes many, sums them up, and stores them in a journal,
//   - search looks for failures and shrinks them,
//   - matrix runs every strategy for every need, and checks published advice,
//   - rate estimates how often a year the pauses of a log break a lock,
//   - advise answers whether a lock is safe under the pauses, latency and work of its user.
//
// A program loads a scenario here and hands it to campaign.Run, run.Once, search.Explore and the
// like. The methods of [Scenario] that take one use of a strategy or one worker (such as ParamsOf,
// HoldOf, FamilySettings, Token) are for these packages.
package scenarios
