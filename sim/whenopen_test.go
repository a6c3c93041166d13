package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two cuts of one direction overlap: the waiting calls are made, in order, when the second cut
// heals. The other direction is open all the time.
func TestWhenOpenWaitsForTheLastCut(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	a, b := w.AddNode("a", NodeConfig{}), w.AddNode("b", NodeConfig{})
	var got []string
	pass := func(from, to *Node, what string) {
		w.WhenOpen(from, to, func() { got = append(got, fmt.Sprintf("%v %s", w.Time(), what)) })
	}
	pass(a, b, "before")
	for _, c := range []struct {
		how Cut
		d   time.Duration
	}{{CutDrop, 3 * time.Second}, {CutHold, 5 * time.Second}} {
		if err := w.CutLink("a", "b", c.how, c.d); err != nil {
			t.Fatal(err)
		}
	}
	pass(a, b, "first")
	w.At(4*time.Second, func() { pass(a, b, "second") })
	w.At(4*time.Second, func() { pass(b, a, "back") })
	w.At(6*time.Second, func() { pass(a, b, "after") })
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"0s before", "4s back", "5s first", "5s second", "6s after"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
