package tables

import (
	"slices"
	"testing"

	"lockquake/scenarios/results"
)

func TestAHarmThatTheRateDoesNotCountIsNamed(t *testing.T) {
	const rule = "not in the rate of violating runs, since expect: does not name the check: "
	// deciding returns a use n of whose runs violate a deciding check.
	deciding := func(n int, st results.StrategyStats) results.StrategyStats {
		st.Violating = n
		return st
	}
	tests := []struct {
		name string
		uses []results.StrategyStats
		want []string
	}{
		{"each violating run is counted", []results.StrategyStats{deciding(3, use("a", 40, map[string]int{"lost-update": 3, "exclusion": 3}))}, nil},
		{"belief does no harm", []results.StrategyStats{deciding(3, use("a", 40, map[string]int{"lost-update": 3, "belief": 30}))}, nil},
		{
			"more runs violate a check that does not decide",
			[]results.StrategyStats{
				deciding(3, use("a", 40, map[string]int{"lost-update": 3, "exclusion": 6})),
				deciding(0, use("b", 40, map[string]int{"told": 1})),
			},
			[]string{rule + "a violated exclusion in 6 runs, b violated told in 1 run"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Remarks(&results.Campaign{Strategies: tt.uses}); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestLeasesThatWereGivenUpAreCounted(t *testing.T) {
	for n, want := range map[int64]string{
		1:    "a gave up 1 lease that was still good, or that there was time to renew",
		1200: "a gave up 1,200 leases that were still good, or that there was time to renew",
	} {
		st := use("a", 40, nil)
		st.Metrics.GivenUpNeedlessly = n
		if got := Remarks(&results.Campaign{Strategies: []results.StrategyStats{st}}); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
