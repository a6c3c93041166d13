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
			"No rate for none, which fails without a pause; unknown with stuck",
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
