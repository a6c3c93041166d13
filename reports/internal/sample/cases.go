package sample

import (
	"lockquake/checker"
	"lockquake/scenarios/results"
)

// CaseUse returns a strategy under one case of faults, in 10 runs. Checks has the number of
// violating runs by check, holds the checks that the strategy claims to hold.
func CaseUse(label, name, class string, hit int64, checks map[string]int, holds ...string) results.StrategyStats {
	st := results.StrategyStats{
		Name: label, Label: label + " under " + name, Case: name, Class: class, Runs: 10, Hit: hit,
		Order: []string{"exclusion", "belief", "recovery"}, Checks: map[string]results.CheckStats{}, Expected: results.CannotTell,
		Metrics: checker.Metrics{Jobs: 200, Finished: 196},
	}
	for _, check := range st.Order {
		st.Checks[check] = results.CheckStats{Applies: true}
	}
	for check, n := range checks {
		st.Checks[check] = results.CheckStats{Applies: true, Violating: n}
	}
	if len(holds) > 0 {
		st.Decides, st.Expects, st.Expected = true, &results.Expect{Holds: holds}, results.AsExpected
	}
	return st
}

// CaseCampaign returns a campaign of three strategies under four cases.
func CaseCampaign() *results.Campaign {
	unkept := CaseUse("third", "crash", "C", 1, map[string]int{"exclusion": 1}, "exclusion")
	unkept.Expected = results.NotAsExpected
	open := CaseUse("third", "other", "", 1, nil, "exclusion")
	open.Expected = results.CannotTell
	return &results.Campaign{Scenario: "matrix", Seeds: results.SeedRange{First: 1, Last: 10}, Verdict: results.Pass, Strategies: []results.StrategyStats{
		CaseUse("first", "pause", "P", 4, map[string]int{"exclusion": 2, "belief": 9}),
		CaseUse("first", "stall", "P", 4, map[string]int{"exclusion": 3}),
		CaseUse("first", "crash", "C", 4, map[string]int{"recovery": 1}, "exclusion"),
		CaseUse("first", "other", "", 0, nil),
		CaseUse("second", "pause", "P", 4, map[string]int{"belief": 1}),
		CaseUse("second", "stall", "P", 0, nil),
		CaseUse("second", "crash", "C", 4, nil, "exclusion", "recovery"),
		CaseUse("second", "other", "", 1, map[string]int{"recovery": 10}),
		CaseUse("third", "pause", "P", 4, map[string]int{"exclusion": 10}),
		unkept,
		open,
	}}
}
