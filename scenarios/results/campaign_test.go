package results

import (
	"encoding/json"
	"testing"
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
