package sample

import (
	"time"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// Swept returns a sweep over one axis or two. The rate of redis falls along the first axis
// and rises along the second. The strategy fenced never fails.
func Swept(axes ...results.Axis) *results.Sweep {
	const runs = 50
	s := &results.Sweep{
		Schema: 1, Version: "0.1.0", Scenario: "gc-pause", Hash: "1a2b3c4d5e6f", Seeds: results.SeedRange{First: 1, Last: runs},
		Overrides: []string{"workers=4"}, Axes: axes,
	}
	rate := func(label string, violating int) results.SweepRate {
		low, high := stats.Wilson(violating, runs)
		r := results.SweepRate{
			Name: "redis", Label: label, Runs: runs, Violating: violating, Rate: float64(violating) / runs, Low: low, High: high,
			Order: []string{"exclusion", "told"}, Checks: map[string]results.CheckStats{"exclusion": {Applies: true, Violating: violating}},
		}
		return r
	}
	for i, value := range axes[0].Values {
		if len(axes) == 1 {
			s.Points = append(s.Points, results.SweepPoint{Values: []string{value}, Met: int64(10 * i), Strategies: []results.SweepRate{
				rate("redis", runs/(i+1)), rate("fenced", 0),
			}})
			continue
		}
		for j, other := range axes[1].Values {
			s.Points = append(s.Points, results.SweepPoint{Values: []string{value, other}, Met: 1, Strategies: []results.SweepRate{
				rate("redis", runs*j/(len(axes[1].Values)-1)/(i+1)), rate("fenced", 0),
			}})
		}
	}
	return s
}

// TTLs returns an axis of durations with a logarithmic scale.
func TTLs() results.Axis {
	return results.Axis{Path: "lock.ttl", Values: []string{"500ms", "1s", "5s", "30s"}, Log: true}
}

// Fences returns an axis of words.
func Fences() results.Axis {
	return results.Axis{Path: "strategies.fenced.resource.fence", Values: []string{"off", "writes", "reads-writes"}}
}

// Found returns a sweep with a threshold of each kind.
func Found() *results.Sweep {
	s := Swept(results.Axis{Path: "faults.pause.for", Values: []string{"5s", "10s", "15s"}})
	s.Thresholds = []results.Threshold{
		{
			Label: "redis", Side: results.Smallest, Breaks: "9.928s", Holds: "9.857s", Precision: 0.007151, TTL: 10 * time.Second, Margin: 0.9928, Changes: 1, Replay: "a@b:redis:1:0.1.0:f",
			Why: "3 of 50 runs violated lost-update", Jobs: 8000, Finished: 7928, FinishedLow: 0.98868, FinishedHigh: 0.99286,
		},
		{
			Label: "short", Side: results.Largest, Breaks: "6.1s", Holds: "6.15s", Precision: 0.0082, TTL: 20 * time.Second, Margin: 0.305, Changes: 2,
			Why: "finished was expected to be >= 99 %, and is 98.6 %", Jobs: 1000, Finished: 1000, FinishedLow: 0.99617, FinishedHigh: 1,
		},
		{Label: "none", Side: results.Always, Why: "finished 0 of 900, so nothing was tested"},
		{Label: "fenced", Side: results.Never},
	}
	return s
}
