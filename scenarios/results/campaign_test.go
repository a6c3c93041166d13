package results

import (
	"encoding/json"
	"slices"
	"testing"

	"lockquake/checker"
)

func TestAnExpectationInJSONIsTrueFalseOrNull(t *testing.T) {
	tests := []struct {
		value Expectation
		want  string
	}{
		{AsExpected, "true"},
		{NotAsExpected, "false"},
		{CannotTell, "null"},
	}
	for _, tt := range tests {
		data, err := json.Marshal(StrategyStats{Expected: tt.value})
		if err != nil {
			t.Fatal(err)
		}
		var loose struct{ Expected any }
		if err := json.Unmarshal(data, &loose); err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(loose.Expected); string(got) != tt.want {
			t.Errorf("%s is written as %s, want %s", tt.value, got, tt.want)
		}
		back := StrategyStats{Expected: "left over"}
		if err := json.Unmarshal(data, &back); err != nil || back.Expected != tt.value {
			t.Errorf("%s comes back as %q, %v", tt.value, back.Expected, err)
		}
	}
}

func TestAnUnknownExpectationIsNeitherReadNorWritten(t *testing.T) {
	if _, err := json.Marshal(Expectation("perhaps")); err == nil {
		t.Error("an unknown expectation is written")
	}
	for _, text := range []string{`"true"`, `1`, `{}`} {
		var e Expectation
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s is read as %q", text, e)
		}
	}
}

func TestAnIdleFaultShouldHaveHitAndNeverDid(t *testing.T) {
	c := Campaign{
		Strategies: []StrategyStats{{Label: "redis"}, {Label: "redis under crash", Case: "crash"}},
		Faults: []FaultStats{
			{Spec: 0, Kind: "pause"},
			{Spec: 1, Kind: "pause", Hit: 1},
			{Spec: 2, Kind: "drop", Optional: true},
			{Spec: 3, Kind: "crash", Case: "crash"},
			{Spec: 4, Kind: "latency", Case: "late"}, // no strategy was run under it
		},
	}
	var got []string
	for _, f := range c.IdleFaults() {
		got = append(got, f.Name())
	}
	if want := []string{"1 (pause)", "4, crash (crash)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An unknown verdict counts only of a check whose violation would count.
func TestRunsAreInconclusiveIfACheckThatCountsIsUnknown(t *testing.T) {
	worked := checker.Metrics{Jobs: 10, Finished: 10}
	use := func(check string, stats CheckStats) StrategyStats {
		return StrategyStats{Runs: 20, Metrics: worked, Order: []string{check}, Checks: map[string]CheckStats{check: stats}}
	}
	named := use("belief", CheckStats{Applies: true, Unknown: 2})
	named.Expects = &Expect{Violates: []string{"belief"}}
	idle := use("progress", CheckStats{Applies: true})
	idle.Metrics = checker.Metrics{Jobs: 10}
	for _, tt := range []struct {
		name string
		use  StrategyStats
		want string
	}{
		{"decided", use("progress", CheckStats{Applies: true}), ""},
		{"unknown", use("progress", CheckStats{Applies: true, Unknown: 2}), "could not be judged by progress in 2 of 20 runs"},
		{"an unknown belief, which does no harm", use("belief", CheckStats{Applies: true, Unknown: 2}), ""},
		{"an unknown belief that the scenario asks for", named, "could not be judged by belief in 2 of 20 runs"},
		{"nothing to judge", use("progress", CheckStats{}), "had nothing that a check could judge"},
		{"no work", idle, "finished 0 of 10, so nothing was tested"},
		{"no run", StrategyStats{}, "finished no run"},
	} {
		if got := tt.use.Inconclusive(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
