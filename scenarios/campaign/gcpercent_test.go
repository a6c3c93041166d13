package campaign_test

import (
	"testing"

	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

// A worker keeps 15 KB, and its history takes 17 x 408 bytes a second: 6,936. With 50,000 workers and 5,000 locks for 60 s a
// run keeps 0.75 GB and 0.0042 GB for one lock: 1.7 GB is 125 % more than that. 1,000 workers for 60 s keep 0.015 GB, and with
// their history of 0.41616 GB 0.43116 GB: 1.7 GB is 294 % more.
func TestThePercentageOfTheCollectorFollowsWhatTheRunsKeep(t *testing.T) {
	const (
		workers = "workers: 1000\n"
		counter = "workload: {kind: counter}\n"
		redis   = "strategies: [redis]\n"
		plain   = workers + "resources: 100\n" + counter + redis
		many    = "workers: 50000\nresources: 5000\n" + counter + redis
	)
	one := campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}, Jobs: 1}
	two := campaign.Request{Seeds: results.SeedRange{First: 1, Last: 2}, Jobs: 2}
	for _, tt := range []struct {
		name, scenario string
		request        campaign.Request
		whole          bool
		want           int
	}{
		{name: "a small run", scenario: "workers: 800\n" + counter + redis, request: one, want: 400},
		{name: "a large run with few workers", scenario: plain, request: one, want: 400},
		{name: "a large run with one lock", scenario: workers + counter + redis, request: one, want: 294},
		{name: "50,000 workers", scenario: many, request: one, want: 125},
		{name: "50,000 workers, two runs at a time", scenario: many, request: two, want: 25},
		{name: "50,000 workers, two jobs and one run", scenario: many, request: campaign.Request{Seeds: one.Seeds, Jobs: 2}, want: 125},
		{name: "100,000 workers", scenario: "workers: 100000\nresources: 10000\n" + counter + redis, request: one, want: 25},
		{name: "with its history", scenario: plain, request: one, whole: true, want: 294},
		{name: "sections on several items", scenario: workers + "workload: {kind: transfer}\nresources: 2\n" + redis, request: one, want: 294},
		{name: "several independent servers", scenario: workers + counter + "strategies: [redlock]\n", request: one, want: 294},
		{name: "keys that are deleted", scenario: plain + "faults:\n  - at: 10s\n    delete: {key: resource-1}\n", request: one, want: 294},
	} {
		s := runtest.Parse(t, "name: large\ndescription: many workers\nduration: 60s\nchecks: [exclusion]\n"+tt.scenario)
		if got := campaign.GCPercent(s, tt.request, tt.whole); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
