package scenarios

import (
	"strings"
	"testing"
)

func TestToyIsReadAndInTheSchema(t *testing.T) {
	file := func(params string) []byte {
		return []byte("name: toy\nduration: 1s\nworkload: {kind: counter}\nstrategies: [redis]\nworkers: 1\nfaults:\n- {at: 0s, jolt: " + params + "}\n")
	}
	if _, err := Parse("f", file("{target: worker-1, by: 1s, for: 1s}")); err != nil {
		t.Error(err)
	}
	for params, want := range map[string]string{
		"{target: worker-1, bi: 1s, for: 1s}": `f:7:37: unknown parameter of jolt "bi"; did you mean "by"?`,
		"{target: worker-1, for: 1s}":         "f:7:18: faults[0].jolt.by is missing: how far the clock is wrong, such as 2s",
	} {
		if _, err := Parse("f", file(params)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", params, err, want)
		}
	}
	fault := Schema()["$defs"].(schema)["fault"].(schema)
	if fault["properties"].(schema)["jolt"] == nil {
		t.Error("the schema does not have it")
	}
}
