package scenarios

import "testing"

func TestStrategyLineFindsTheEntryOfALabel(t *testing.T) {
	const file = "name: s\nstrategies:\n  - redis\n  - {name: redis, label: halved}\n  - name: redis-fenced\n    resource: {fence: writes}\n"
	for label, want := range map[string]int{"redis": 3, "halved": 4, "redis-fenced": 5, "gone": 1} {
		if got := StrategyLine([]byte(file), label); got != want {
			t.Errorf("%s is in line %d, want %d", label, got, want)
		}
	}
	for _, file := range []string{"strategies: sound\n", "strategies: [", ""} {
		if got := StrategyLine([]byte(file), "redis"); got != 1 {
			t.Errorf("in %q it is in line %d, want 1", file, got)
		}
	}
}
