package results

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRefusesFilesWithoutConsistentResults(t *testing.T) {
	campaign := &Campaign{Schema: 1, Scenario: "s", Strategies: []StrategyStats{{Label: "a", Runs: 3}}}
	var whole bytes.Buffer
	if err := WriteJSON(&whole, campaign); err != nil {
		t.Fatal(err)
	}
	one := func(strategy string) string {
		return `{"schema": 1, "scenario": "s", "strategies": [` + strategy + `]}`
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "empty or cut off"},
		{"cut", whole.String()[:whole.Len()/2], "empty or cut off"},
		{"cut in its first line", "{", "empty or cut off"},
		{"no JSON", "strategy,label\n", "the file is not JSON: invalid character"},
		{"more than one", whole.String() + "{}", "invalid character"},
		{"another schema", `{"schema": 2, "scenario": "s", "strategies": {}}`, "schema 2, and this version reads schema 1"},
		{"something else", `{"score": 3}`, "names no schema"},
		{"a list", `[1]`, "cannot unmarshal"},
		{"no strategies", `{"schema": 1, "scenario": "s"}`, "names no strategies"},
		{"a wrong type", one(`{"label": 3}`), "cannot unmarshal"},
		{"twice the same", one(`{"label": "a"}, {"label": "a"}`), "appears twice"},
		{"more violations than runs", one(`{"label": "a", "runs": 3, "checks": {"once": {"violating": 4}}}`), "contradict"},
		{"other seeds than violations", one(`{"label": "a", "runs": 3, "seeds": "1-3", "checks": {"once": {"violating": 1, "seeds": "1-2"}}}`), "contradict"},
		{"too many runs", one(`{"label": "a", "runs": 1000000000000}`), "contradict"},
		{"seeds that are none", one(`{"label": "a", "runs": 3, "seeds": "3-1"}`), "not a set of seeds"},
	} {
		path := filepath.Join(t.TempDir(), "results.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if !errors.Is(err, errNoResults) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
}
