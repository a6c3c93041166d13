package campaign_test

import (
	"testing"

	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

// The same run with and without a history: 5 workers times 10,000 s are a large run, times 9,999 s none.
func TestACampaignOfLargeRunsCountsViolationsAndKeepsNoRunWhole(t *testing.T) {
	for _, tt := range []struct {
		duration string
		whole    int // violations that are kept whole: lost-update and linearizable
	}{{"9999s", 2}, {"10000s", 0}} {
		s := runtest.Parse(t, `
name: long
description: work without a lock, for a long time
duration: `+tt.duration+`
workers: 5
resources: 2
workload: {kind: counter, hold: 5s, think: {dist: uniform, min: 10s, max: 60s}}
strategies: [none]
checks: [linearizable, lost-update, progress]
`)
		c := runtest.Campaign(t, s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}})
		stats := c.Strategies[0]
		for check, want := range map[string]int{"linearizable": 1, "lost-update": 1, "progress": 0} {
			if got := stats.Checks[check].Violating; got != want {
				t.Errorf("%s: %s was violated in %d runs, want %d", tt.duration, check, got, want)
			}
		}
		if len(stats.Failures) != tt.whole {
			t.Errorf("%s: %d violations are kept whole, want %d", tt.duration, len(stats.Failures), tt.whole)
		}
	}
}
