package rate

import (
	"slices"
	"time"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// neglect estimates the violations that need two pauses, of which a run has at most one long one.
func (e *estimate) neglect() {
	y := e.result
	hours, locks := y.Log.Hours(), float64(y.Locks)
	within := e.lease + 2*e.hold
	pairs := shortPairs(slices.Sorted(slices.Values(e.Log.Pauses)), y.Long.From)
	y.Neglected.ShortPairs = stats.SixDigits(locks * float64(y.Processes) * results.Year * float64(pairs) * within.Hours() / (hours * hours))
	y.Neglected.Within = within + slices.Max(e.lengths())
	rate := float64(y.Processes) * y.Long.PerHour.High
	y.Neglected.LongPairs = stats.SixDigits(locks * results.Year * rate * rate * y.Neglected.Within.Hours())
}

// shortPairs counts the ordered pairs of pauses, each with itself too, that are shorter than long and
// take at least as long together.
func shortPairs(sorted []time.Duration, long time.Duration) int64 {
	short, _ := slices.BinarySearch(sorted, long)
	sorted = sorted[:short]
	pairs, j := int64(0), len(sorted)
	for _, first := range sorted {
		for j > 0 && first+sorted[j-1] >= long {
			j--
		}
		pairs += int64(len(sorted) - j)
	}
	return pairs
}
