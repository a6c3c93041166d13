package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClockFaultsNeedAChange(t *testing.T) {
	wantInvalid(t, []invalid{
		{"step of a server", moment(&ClockStep{OnNode: OnNode{Target: "lock"}, By: 30 * time.Second}), "", ""},
		{"step back", moment(&ClockStep{OnNode: OnNode{Target: "worker-1"}, By: -time.Second}), "", ""},
		{"step by nothing", moment(&ClockStep{OnNode: OnNode{Target: "lock"}}), "by", "missing"},
		{"rate of a server", moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 500}), "", ""},
		{"slow monotonic clock", moment(&ClockRate{OnNode: OnNode{Target: "worker-1"}, Clock: ClockMonotonic, PPM: -200_000}), "", ""},
		{"no rate", moment(&ClockRate{OnNode: OnNode{Target: "lock"}}), "ppm", "missing"},
		{"a clock that stands still", moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: -1_000_000}), "ppm", "-1000000 is not between"},
		{"twice as fast", moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 1_000_000}), "", ""},
		{"too fast", moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 1_000_001}), "ppm", "is not between"},
		{"unknown clock", moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 1, Clock: "sun"}), "clock", `unknown clock "sun"`},
		{"stranger", moment(&ClockRate{OnNode: OnNode{Target: "nobody"}, PPM: 1}), "target", `no worker or server is called "nobody"`},
	})
}

func TestClockRateChangesTheWallClockByDefault(t *testing.T) {
	got := moment(&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 500}).targets(workers())
	want := []Fault{&ClockRate{OnNode: OnNode{Target: "lock"}, PPM: 500, Clock: ClockWall}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
