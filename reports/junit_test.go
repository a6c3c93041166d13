package reports

import (
	"encoding/xml"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// There is a strategy for each outcome, and names have characters that XML escapes.
func TestJUnitHasATestForEachStrategyAndTheCampaign(t *testing.T) {
	c := &results.Campaign{
		Scenario: "mine", Verdict: results.Fail, Reasons: []string{"a <b> & \"c\""},
		Strategies: []results.StrategyStats{
			{
				Name: "redis", Label: "<&>", Runs: 3, Violating: 1, Decides: true, Expected: results.NotAsExpected,
				Order:  []string{"exclusion", "belief"},
				Checks: map[string]results.CheckStats{"exclusion": {Violating: 1, FirstSeed: 2, Replay: "mine@1:redis:2"}, "belief": {Violating: 2, FirstSeed: 1, Replay: "mine@1:redis:1"}},
			},
			{Name: "redlock", Label: "redlock", Runs: 3, Decides: true, Expected: results.CannotTell},
			{Name: "none", Label: "none", Runs: 3},
			{Name: "redis-fenced", Label: "fenced", Runs: 3, Decides: true, Expected: results.AsExpected},
		},
	}
	text, err := junit(c)
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	suite := back.Suites[0]
	if suite.Tests != 5 || suite.Failures != 2 || suite.Errors != 1 || suite.Skipped != 1 || len(suite.Cases) != 5 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped in\n%s", suite.Tests, suite.Failures, suite.Errors, suite.Skipped, text)
	}
	first := suite.Cases[0]
	if first.Name != "<&> (redis)" || first.Failure == nil || first.Failure.Text != "exclusion, seed 2: lockquake replay mine@1:redis:2\n" {
		t.Errorf("the first case is %+v", first)
	}
	const message = "<&> (redis) had two holders at work at once in 1 of 3 runs (6.1 to 79 %); not expected: <&> violated exclusion in 1 of 3 runs"
	if got := first.Failure.Message; got != message {
		t.Errorf("the message is %q, want %q", got, message)
	}
	if whole := suite.Cases[4]; whole.Failure == nil || !strings.Contains(whole.Failure.Message, `a <b> & "c"`) {
		t.Errorf("the whole is %+v", whole)
	}
}

func TestJUnitHasATestForEachBound(t *testing.T) {
	c := &results.Campaign{
		Scenario: "mine", Verdict: results.Fail,
		Strategies: []results.StrategyStats{{
			Name: "redis", Label: "ours", Runs: 3, Decides: true, Expected: results.NotAsExpected,
			Bounds: []results.BoundResult{
				{Measure: "finished", Bound: ">= 99 %", Figure: "97.1 %"},
				{Measure: "wait-p99", Bound: "<= 5s", Figure: "1.2s", Met: true},
				{Measure: "lost", Bound: "0"},
			},
		}},
	}
	text, err := junit(c)
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	suite := back.Suites[0]
	if suite.Tests != 5 || suite.Failures != 4 { // the strategy, two bounds and the whole
		t.Errorf("%d tests, %d failures in\n%s", suite.Tests, suite.Failures, text)
	}
	for i, want := range []struct{ name, failure string }{
		{"ours (redis): finished >= 99 %", "finished was expected to be >= 99 %, and is 97.1 %"},
		{"ours (redis): wait-p99 <= 5s", ""},
		{"ours (redis): lost 0", "lost was expected to be 0, and there was nothing to measure"},
	} {
		got := suite.Cases[i+1]
		if got.Name != want.name || (got.Failure != nil) != (want.failure != "") || got.Failure != nil && got.Failure.Message != want.failure {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// What happened is said once, in the words of the other reports. A check that finds no harm is marked.
func TestJUnitSaysWhatHappenedInOneSentence(t *testing.T) {
	use := func(label string, violating int) results.StrategyStats {
		return results.StrategyStats{
			Name: label, Label: label, Runs: 20, Violating: violating, Decides: true, Expected: results.AsExpected,
			Metrics: checker.Metrics{Jobs: 1000, Finished: 980}, Order: []string{"belief", "lost-update"},
			Checks: map[string]results.CheckStats{"lost-update": {Applies: true, Violating: violating}, "belief": {Applies: true, Violating: 15}},
		}
	}
	text, err := junit(&results.Campaign{
		Scenario: "mine", Workload: "counter", Seeds: results.SeedRange{First: 1, Last: 20}, Verdict: results.Pass,
		Strategies: []results.StrategyStats{use("redis", 3), use("watchdog", 0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"redis lost updates in 3 of 20 runs (5.2 to 36 %); finished 98.0 % of the work; checks violated: lost-update 3, belief 15 (harmless)",
		"watchdog had no failure in 20 runs (fewer than 14 %), and finished 98 % of its work; checks violated: belief 15 (harmless)",
		"seeds 1 to 20: as expected",
	} {
		if got := back.Suites[0].Cases[i].Out; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
