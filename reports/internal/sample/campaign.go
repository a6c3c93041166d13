package sample

import (
	"time"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// use describes a strategy of a sample campaign.
type use struct {
	name, label, fence string
	runs, violating    int
	checks             map[string]int // runs that violate each
	decides            bool
	expected           results.Expectation
	failures           []results.Failure
}

func (u use) stats() results.StrategyStats {
	low, high := stats.Wilson(u.violating, u.runs)
	s := results.StrategyStats{
		Name: u.name, Label: u.label, Fence: u.fence, Runs: u.runs, Violating: u.violating,
		Rate: float64(u.violating) / float64(max(1, u.runs)), Low: low, High: high,
		Acquisitions: int64(u.runs) * 183, Checksum: "0123456789abcdef",
		Checks: map[string]results.CheckStats{}, Order: []string{"linearizable", "lost-update", "exclusion", "belief", "fencing"},
		Decides: u.decides, Expected: u.expected, Failures: u.failures,
	}
	if u.name != "none" {
		s.Metrics = metrics(int64(u.runs))
	}
	for _, check := range s.Order {
		counts := results.CheckStats{Applies: check != "fencing" || u.name == "redis-fenced", Violating: u.checks[check]}
		if counts.Violating > 0 {
			counts.FirstSeed, counts.Replay = 3, "gc-pause@1a2b3c4d5e6f/"+u.label+"/3"
			counts.Violations = 2 * int64(counts.Violating)
			counts.PerRun = stats.PerRun(counts.Violating, u.runs)
			if check != "linearizable" { // it has no rate
				counts.PerThousand = stats.PerExposure(counts.Violations, float64(s.Acquisitions)/1000, 2)
				counts.PerLockHour = stats.PerExposure(counts.Violations, float64(u.runs)/60, 2)
			}
		}
		s.Checks[check] = counts
	}
	return s
}

// metrics returns the metrics of a number of runs of a minute.
func metrics(runs int64) checker.Metrics {
	m := checker.Metrics{
		Jobs: 185 * runs, Finished: 183 * runs,
		Calls: 190 * runs, Acquisitions: 183 * runs, Contended: 120 * runs, ContendedOf: 190 * runs, Commands: 640 * runs, Refusals: 400 * runs,
		LossesNoticed: 2 * runs, LossesUnnoticed: runs / 10, ActsAfterLoss: runs / 2, Unavailable: checker.SumOf(3 * time.Second * time.Duration(runs)),
		Waiting: checker.SumOf(90 * time.Second * time.Duration(runs)), MostWaiting: 7,
		Time: checker.SumOf(time.Minute * time.Duration(runs)), Fairness: 0.93, Runs: runs,
	}
	for i := range time.Duration(100) {
		m.Wait.Add(i * 40 * time.Millisecond)
		m.Hold.Add(20*time.Millisecond + i*1800*time.Microsecond)
		m.Notice.Add(i * 90 * time.Millisecond)
		m.Tenure.Add(22*time.Millisecond + i*1800*time.Microsecond)
		m.NoHolder.Add(i * 3 * time.Millisecond)
	}
	m.TwoHolders.Add(700 * time.Millisecond)
	m.ActsOfTwo = runs / 2
	for _, way := range []struct {
		of   *checker.Spread
		each int64 // in a run
		took time.Duration
	}{
		{&m.Refused, 4, 2 * time.Millisecond},
		{&m.TimedOut, 2, 3 * time.Second},
		{&m.Failed, 1, time.Second},
		{&m.Released, 180, time.Millisecond},
		{&m.ReleaseFailed, 3, time.Second},
	} {
		for i := range time.Duration(way.each * runs) {
			way.of.Add(way.took + i%10*way.took/10)
		}
	}
	m.Wasted = checker.SumOf(m.Hold.Mean() * time.Duration(m.Hold.N) / 40)
	return m
}

// GCPause returns a campaign with strategies of each outcome: as expected, unexpected,
// undecided, and without an expectation.
func GCPause() (*results.Campaign, []byte) {
	c := &results.Campaign{
		Schema: 1, Version: "v0.1.0", Scenario: "gc-pause", Source: "martin.kleppmann.com, 2016",
		About: "stop-the-world pauses that outlast the lease", Workload: "counter", Hash: "1a2b3c4d5e6f",
		Seeds: results.SeedRange{First: 1, Last: 1000}, Until: 0.03, Locks: 1, Needed: 200, Step: 10 * time.Microsecond,
		Wake: results.WakeDrawn, WakeLag: "100µs at the median and 10ms at p99", Cores: 2,
		Verdict: results.Fail,
		Paired: []results.PairStats{
			{Base: "none", Label: "redis", Checks: []string{"lost-update", "linearizable"}, Seeds: 1000, Both: 412, BaseOnly: 588, Differs: true, Says: "In lost-update and linearizable, redis fails less often than none: violating seeds, of the same 1000: 0 with redis only, 588 with none only, 412 with both (McNemar, p < 0.001)"},
			{Base: "none", Label: "twin", Checks: []string{"lost-update"}, Seeds: 1000, Both: 1000, P: 1, Says: "In lost-update, twin and none do the same on all 1000 seeds"},
		},
		Reasons: []string{"not expected: redis-watchdog violated lost-update in 3 of 1000 runs, first with seed 3"},
		Faults: []results.FaultStats{
			{Spec: 0, Kind: "pause", Planned: 93211, Happened: 93102, Hit: 71044},
			{Spec: 1, Kind: "partition", Optional: true, Planned: 6000, Happened: 6000},
		},
	}
	late := results.Failure{Seed: 3, Trial: Kleppmann(0)}
	late.Trial.Seed = 3
	lost, linear := late, late
	lost.Check, linear.Check = "lost-update", "linearizable"
	weird := results.Failure{Check: "lost-update", Seed: 7, Trial: Long()}
	for _, u := range []use{
		{"none", "none", "off", 1000, 1000, map[string]int{"linearizable": 1000, "lost-update": 1000, "exclusion": 1000, "belief": 1000}, true, results.AsExpected, nil},
		{"redis", "redis", "off", 1000, 412, map[string]int{"linearizable": 412, "lost-update": 398, "exclusion": 405, "belief": 871}, true, results.AsExpected, []results.Failure{linear, lost}},
		{"redis-checked", "checked | by its own clock", "off", 1000, 4, map[string]int{"lost-update": 4, "exclusion": 4}, false, results.CannotTell, []results.Failure{weird}},
		{"redis-watchdog", "redis-watchdog", "off", 1000, 3, map[string]int{"lost-update": 3}, true, results.NotAsExpected, nil},
		{"redis-fenced", "fenced", "reads-writes", 1000, 0, nil, true, results.AsExpected, nil},
		{"redis-fenced", "fenced writes only", "writes", 100, 0, nil, true, results.CannotTell, nil},
	} {
		c.Strategies = append(c.Strategies, u.stats())
	}
	return c, []byte("name: gc-pause\nduration: 60s\n")
}
