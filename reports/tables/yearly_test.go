package tables

import (
	"testing"
	"time"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

func TestTheAnswerOfAYearIsOneSentence(t *testing.T) {
	rate := func(rate, low, high, atMost float64) *stats.Rate {
		return &stats.Rate{Rate: rate, Low: low, High: high, AtMost: atMost}
	}
	for _, test := range []struct {
		name string
		long int
		runs []results.YearlyRate
		want string
	}{
		{
			"some of one lock, and none of the other", 5,
			[]results.YearlyRate{
				{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, PerYear: rate(3.14, 1.2, 6.96, 0)},
				{Label: "fenced", Runs: 100, Jobs: 1, Finished: 1, PerYear: rate(0, 0, 0.005, 0.005)},
			},
			"About 3.1 corrupted counters a year (1.2 to 7) with redis; none with fenced (fewer than 1 in 200 years)",
		},
		{
			"less than one a year", 5,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, PerYear: rate(0.04, 0.01, 1.26, 0)}},
			"About 1 corrupted counter in 25 years (1 in 100 years to 1.3 a year) with redis",
		},
		{
			"thousands a year", 5,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, PerYear: rate(22345, 6270, 69120, 0)}},
			"About 22,000 corrupted counters a year (6,300 to 69,000) with redis",
		},
		{
			"a log without a long pause", 0,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, PerYear: rate(0, 0, 12, 12)}},
			"At most 12 corrupted counters a year with redis",
		},
		{
			// 1 of 400 calm runs of a minute, in 8765.82 hours of 40 locks: 60 / 400 x 8765.82 x 40 = 52,595.
			"failures without a long pause", 5,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, Calm: 400, CalmViolating: 1}},
			"No rate for redis, which fails without a long pause too, about 53,000 a year",
		},
		{
			"long pauses that are too short", 5,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Jobs: 1, Finished: 1, PerYear: rate(0, 0, 12, 12), Most: &results.YearlyMost{}}},
			"None with redis (at most 12 a year: the log has no pause that breaks it)",
		},
		{
			"a rate that rounds to one", 5,
			[]results.YearlyRate{{Label: "redis", Runs: 100, Violating: 10, Jobs: 1, Finished: 1, PerYear: rate(0.97, 0.94, 1.26, 0)}},
			"About 1 corrupted counter a year (1 in 1.1 years to 1.3 a year) with redis",
		},
		{
			"no rate", 5,
			[]results.YearlyRate{
				{Label: "none", Without: []string{"lost-update"}},
				{Label: "stuck", Runs: 100, Jobs: 1000, Finished: 9, PerYear: rate(0, 0, 1, 1)},
			},
			"No rate for work without a lock, which fails without a pause; unknown with stuck",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := &results.Yearly{Scenario: "gc-pause", Workload: "counter", Locks: 40, Processes: 8, Duration: time.Minute, Strategies: test.runs}
			y.Log.File, y.Long.Count = "hiccup.log", test.long
			want := test.want + ", given the pauses of hiccup.log and 40 locks of 8 processes each with the work of gc-pause."
			if got := YearlyAnswer(y); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// The small runs have few workers with one section each. If they miss what the runs show, the threshold is in doubt.
func TestAThresholdThatTheRunsContradictIsDoubted(t *testing.T) {
	y := &results.Yearly{Long: results.Long{From: 1680 * time.Millisecond}}
	r := &results.YearlyRate{Label: "permits", Runs: 18, Violating: 5, Hit: 9, Jobs: 1, Finished: 1}
	want := "permits was broken by no pause in the small runs, and violates a check in these: shorter pauses than 1.68s may break it too, so that its rate may be too low."
	if got := doubts(y, r); len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
	r.Breaks = 1870 * time.Millisecond
	if got := doubts(y, r); got != nil {
		t.Errorf("without a contradiction: %q", got)
	}
}

// estimated returns an estimate with a use of each kind: a rate, no violation, pauses that are too short to break it, a
// contradiction, failures without a long pause, and failures without any.
func estimated() *results.Yearly {
	const (
		ms   = time.Millisecond
		jobs = 1000
	)
	place := func(length string) string { return "when worker-1 lease-checked 1 pause worker-1 for " + length }
	return &results.Yearly{
		Scenario: "gc-pause", Workload: "counter", Locks: 3, Processes: 2, Duration: time.Minute, Replaced: 1,
		Command: "lockquake rate gc-pause --pauses pauses.txt --pauses-over 720h --locks 3",
		Log:     results.PauseLog{File: "pauses.txt", Kind: "list of durations", Count: 5, Longest: time.Hour, Over: 720 * time.Hour, Stated: true},
		Long: results.Long{
			From: 1630 * ms, Count: 3, PerHour: stats.Rate{Rate: 0.00416667, Low: 0.000859266, High: 0.0121768}, Capped: 20 * time.Second,
			Tested: []time.Duration{815 * ms, 1630 * ms}, Placed: 1640, Command: "lockquake explore gc-pause --kinds pause --for 1.63s", Seeds: 2,
		},
		Short:     results.Short{Count: 2, Least: 16300 * time.Microsecond, Every: 240 * time.Hour},
		Neglected: results.Neglected{ShortPairs: 1e-5, LongPairs: 0.04, Within: 9 * time.Second},
		Strategies: []results.YearlyRate{
			{Name: "redis", Label: "redis", Breaks: 1820 * ms, At: place("1.82s"), Runs: 300, Violating: 100, Hit: 200, Jobs: jobs, Finished: jobs, Calm: 60, PerYear: &stats.Rate{Rate: 73.0485, Low: 15, High: 220}},
			{
				Name: "redis-fenced", Label: "fenced", Unbroken: 6 * time.Second, Runs: 300, Hit: 200, Jobs: jobs, Finished: jobs, Calm: 60,
				PerYear: &stats.Rate{High: 7.82, AtMost: 7.82}, Most: &results.YearlyMost{Causes: 3, Runs: 300, PerHour: 0.0121768, Share: 0.0122209},
			},
			{
				Name: "redis-watchdog", Label: "slow", Breaks: 4 * time.Second, At: place("4s"), Runs: 300, Hit: 200, Jobs: jobs, Finished: jobs, Calm: 60,
				PerYear: &stats.Rate{High: 269.5, AtMost: 269.5}, Most: &results.YearlyMost{PerHour: 0.00512344, Share: 1},
			},
			{Name: "redis-semaphore", Label: "permits", Unbroken: 6 * time.Second, Runs: 300, Violating: 3, Hit: 200, Jobs: jobs, Finished: jobs, Calm: 60, PerYear: &stats.Rate{Rate: 2.19146, Low: 0.3, High: 8}},
			{Name: "redis-del", Label: "calm", Unbroken: 6 * time.Second, Runs: 300, Violating: 90, Hit: 200, Jobs: jobs, Finished: jobs, Calm: 60, CalmViolating: 2},
			{Name: "none", Label: "none", Without: []string{"lost-update"}},
		},
	}
}
