package faults

import (
	"fmt"
	"strings"
	"testing"

	"lockquake/history"
)

// Files of older versions have no effects. The reader adds those of the catalogue by
// the kinds of the faults.
func TestAnOlderHistoryIsReadWithTheEffectsOfTheCatalogue(t *testing.T) {
	for _, info := range Kinds() {
		file := fmt.Sprintf(`{"schema":1}
{"seq":1,"at":0,"type":"fault","fault":1,"kind":%q,"target":"worker-1"}
`, info.Kind)
		h, err := history.Read(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Events[0].Effect; got != history.Effect(info.Effect) {
			t.Errorf("%s is read with the effect %q, want %q", info.Kind, got, info.Effect)
		}
	}
}

// The checks judge faults by these effects.
func TestEachKindHasItsEffect(t *testing.T) {
	want := map[Kind]Effect{
		"pause": Stops, "stall": Stops, "suspend": Stops, "clock-rate": Skews, "clock-step": Steps,
		"hold": Catches, "drop": Catches, "duplicate": Catches, "reorder": Catches, "error": Fails, "cancel": Cancels,
	}
	for _, info := range Kinds() {
		if info.Effect != want[info.Kind] {
			t.Errorf("%s has the effect %q, want %q", info.Kind, info.Effect, want[info.Kind])
		}
	}
}
