// Package search looks for runs that fail, and makes them small.
//
//   - [Explore] places a fault at every point of a small run (explore.go; places.go has
//     the places, exploresum.go adds up what was found). [ParsePlacement] reads a
//     placement that it has printed (placement.go).
//   - [Failing] finds the first run of a campaign that violates a check, and [Shrink]
//     makes such a run small (shrink.go; shrinkways.go has the ways that it tries).
//   - [Sweep] runs a scenario over the values of one or two axes (sweep.go), and [Find]
//     bisects for the value at which each strategy breaks (find.go).
package search
