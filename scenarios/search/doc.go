// Package search looks for runs that fail, and shrinks them.
//
//   - [Explore] places a fault at every point of a small run (explore.go). An [ExploreRequest]
//     selects the faults (explorerequest.go), places.go has the places, jobs.go executes the runs
//     in parallel, and exploresum.go sums up the results.
//   - [ParsePlacement] reads a placement in the form in which a search prints it, and
//     [ExploreRequest.Place] executes its run (placement.go).
//   - [Failing] finds the first run of a campaign that violates a check, and [Shrink]
//     shrinks such a run (shrink.go; shrinkways.go has the steps that it tries).
//   - [Sweep] runs a scenario over the values of one or two axes (sweep.go), and [Find]
//     bisects for the value at which each strategy breaks (find.go).
package search
