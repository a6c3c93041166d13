package sim

import (
	"testing"
	"time"
)

// A server sets a timer for each lease and stops it at the release. The timers that have ended must not
// stay on its list, and those that are left must keep their order when the clock is stepped: of two that
// come due at one instant, the earlier one comes first.
func TestWallTimersThatEndedDoNotPileUp(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	n := w.AddNode("lock", NodeConfig{})
	var fired []int
	first := n.AtWall(n.Now().Add(10*time.Second), func() { fired = append(fired, 1) })
	for range 1000 {
		n.AtWall(n.Now().Add(time.Second), func() { t.Error("a timer fired that was stopped") }).Stop()
		if most := 3; len(n.wallTimers) > most {
			t.Fatalf("%d timers are on the list, and one is left", len(n.wallTimers))
		}
	}
	first.Stop()
	n.AtWall(n.Now().Add(20*time.Second), func() { fired = append(fired, 2) })
	n.AtWall(n.Now().Add(15*time.Second), func() { fired = append(fired, 3) })
	w.At(5*time.Second, func() { n.StepWall(time.Minute) }) // both are due at once
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	if len(fired) != 2 || fired[0] != 2 || fired[1] != 3 {
		t.Errorf("timers fired in the order %v, want 2 and 3", fired)
	}
}
