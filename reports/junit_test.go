package reports

import (
	"encoding/xml"
	"strings"
	"testing"

	"lockquake/scenarios"
)

// A failure, an unknown, one that does not decide and one as expected, and the
// campaign as a whole; names are data.
func TestJUnit(t *testing.T) {
	c := &scenarios.Campaign{
		Scenario: "mine", Verdict: scenarios.Fail, Reasons: []string{"a <b> & \"c\""},
		Strategies: []scenarios.StrategyStats{
			{
				Name: "redis", Label: "<&>", Runs: 3, Violating: 1, Decides: true, Expected: scenarios.NotAsExpected,
				Order:  []string{"exclusion"},
				Checks: map[string]scenarios.CheckStats{"exclusion": {Violating: 1, FirstSeed: 2, Replay: "mine@1:redis:2"}},
			},
			{Name: "redlock", Label: "redlock", Runs: 3, Decides: true, Expected: scenarios.CannotTell},
			{Name: "none", Label: "none", Runs: 3},
			{Name: "redis-fenced", Label: "fenced", Runs: 3, Decides: true, Expected: scenarios.AsExpected},
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
	if first.Name != "<&> (redis)" || first.Failure == nil || !strings.Contains(first.Failure.Text, "lockquake replay mine@1:redis:2") {
		t.Errorf("the first case is %+v", first)
	}
	if whole := suite.Cases[4]; whole.Failure == nil || !strings.Contains(whole.Failure.Message, `a <b> & "c"`) {
		t.Errorf("the whole is %+v", whole)
	}
}
