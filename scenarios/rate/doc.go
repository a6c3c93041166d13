// Package rate estimates how often a year locks fail because of the pauses of their processes, for
// failures that are too rare to count in ordinary runs.
//
// The cause of such a failure is known: a pause that outlasts a lease. So [Run] does not wait for such a
// pause. It takes the rate of long pauses from the log of a process, and gives each run exactly one long
// pause, at a uniformly random moment of a random process. The rate of violations is the rate of the long
// pauses times the share of the runs that violate a check.
//
//   - threshold.go finds which pauses are long: it places pauses at every point of a small run, as
//     package search does, and bisects for the shortest pause that breaks a strategy.
//   - pauses.go splits the log into long and short pauses, and writes the scenario of the runs.
//   - run.go executes the runs, tally.go counts them.
//   - neglect.go estimates the violations that need two pauses.
//
// A run ends soon after its pause, since the pause cannot cause later violations. The answer is a
// [results.Yearly]: plain data, which package reports prints.
package rate
