package tables

import (
	"strings"
	"testing"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// The Wilson interval of 20 of 20 runs is 20/(20+1.96²) = 83.9 % to 100 %: 16.1 points on one side, none on the
// other. A sweep that was stopped has fewer runs than its seeds at the last point.
func TestTheDistanceFromTheRateAndTheNumberOfRunsAreThoseOfTheSweep(t *testing.T) {
	rate := func(runs int) results.SweepPoint {
		low, high := stats.Wilson(runs, runs)
		return results.SweepPoint{Values: []string{"1s"}, Met: 1, Strategies: []results.SweepRate{{Label: "redis", Runs: runs, Violating: runs, Rate: 1, Low: low, High: high}}}
	}
	s := &results.Sweep{
		Scenario: "s", Seeds: results.SeedRange{First: 1, Last: 100}, Axes: []results.Axis{{Path: "lock.ttl", Values: []string{"1s"}}},
		Points: []results.SweepPoint{rate(20)}, Partial: true,
	}
	second := rate(20)
	second.Values, second.Strategies = []string{"2s"}, append(second.Strategies, results.SweepRate{Label: "fenced", Runs: 19})
	two := *s
	two.Points = []results.SweepPoint{rate(100), second}
	whole := *s
	whole.Points, whole.Partial = []results.SweepPoint{rate(100)}, false
	for want, of := range map[string]*results.Sweep{
		"\nup to 100 runs at each point (20 at 1s), seeds 1 to 100; stopped before the end; 95 % intervals reach up to 16.1 points from the rate\n":       s,
		"\nup to 100 runs at each point (19 to 20 at 2s), seeds 1 to 100; stopped before the end; 95 % intervals reach up to 16.1 points from the rate\n": &two,
		"\n100 runs at each point, seeds 1 to 100; 95 % intervals reach up to 3.7 points from the rate\n":                                                 &whole,
	} {
		var text strings.Builder
		if err := Sweep(&text, of, words.Screen{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(text.String(), "\n  ", " "); !strings.Contains(got, want) {
			t.Errorf("it does not print %q, but\n%s", want, got)
		}
	}
}
