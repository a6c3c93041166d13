// Package stats computes rates of rare events, their intervals, and the tests that
// compare them. It knows nothing of runs and locks.
//
//   - [Wilson], [PerRun] and [AtMost] are about a share of runs, [PerExposure] about
//     events for each unit of an exposure, [Dispersion] about how they cluster.
//   - [Causes] multiplies the rate of a cause with the share of causes that lead to a violation.
//   - [Fisher] and [Difference] compare two rates, [McNemar] two sides of the same
//     runs, and [Significant] corrects several of these tests for their number.
//
// Every figure is rounded, so that it is the same on every architecture.
package stats
