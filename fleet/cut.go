package fleet

import (
	"iter"
	"time"

	"lockquake/scenarios/results"
)

const (
	firstRuns = 16              // about the runs of the first piece, from which the time of the others is known
	longest   = time.Minute     // of a piece
	shortest  = 5 * time.Second // of a piece, where a campaign is so small that longer ones would leave workers idle
	enough    = 200             // pieces that keep a fleet busy
	most      = 10_000          // pieces of a campaign
)

// plan says how the seeds of a campaign are cut. Once it is stored it does not change.
type plan struct {
	First int `json:"first"` // seeds of the first piece
	Each  int `json:"each"`  // seeds of every other piece; the last one may have fewer
}

// firstSeeds returns the number of seeds of the first piece of a campaign, from the number of its strategies.
func firstSeeds(seeds results.SeedRange, strategies int) int {
	return min(seeds.Count(), (firstRuns+strategies-1)/strategies)
}

// cut returns the plan of a campaign whose first piece took so long. The pieces take a minute, less in a campaign
// of less than 200 minutes, and more if there would be more than 10,000.
func cut(seeds results.SeedRange, first int, took time.Duration) plan {
	seed := max(1, took/time.Duration(first))
	whole := float64(seed) * float64(seeds.Count())
	target := min(longest, max(shortest, time.Duration(min(whole/enough, float64(longest)))))
	return plan{First: first, Each: max(int(target/seed), 1, (seeds.Count()-first+most-2)/(most-1))}
}

// pieces iterates over the pieces of a campaign, in the order of their seeds.
func (p plan) pieces(seeds results.SeedRange) iter.Seq[results.SeedRange] {
	return func(yield func(results.SeedRange) bool) {
		n := uint64(p.First)
		for first := seeds.First; ; first += n {
			if first > seeds.First {
				n = uint64(p.Each)
			}
			if seeds.Last-first < n {
				yield(results.SeedRange{First: first, Last: seeds.Last})
				return
			}
			if !yield(results.SeedRange{First: first, Last: first + n - 1}) {
				return
			}
		}
	}
}

// count returns the number of pieces.
func (p plan) count(seeds results.SeedRange) int {
	return 1 + (seeds.Count()-p.First+p.Each-1)/p.Each
}
