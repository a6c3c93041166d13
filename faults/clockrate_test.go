package faults

import (
	"testing"
	"time"
)

func TestClockParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"step of a server", moment(ClockStep, Params{Target: "lock", By: 30 * time.Second}), "", ""},
		{"step back", moment(ClockStep, Params{Target: "worker-1", By: -time.Second}), "", ""},
		{"step by nothing", moment(ClockStep, Params{Target: "lock"}), "by", "missing"},
		{"rate of a server", moment(ClockRate, Params{Target: "lock", PPM: 500}), "", ""},
		{"slow monotonic clock", moment(ClockRate, Params{Target: "worker-1", Clock: ClockMonotonic, PPM: -200_000}), "", ""},
		{"no rate", moment(ClockRate, Params{Target: "lock"}), "ppm", "missing"},
		{"a clock that stands still", moment(ClockRate, Params{Target: "lock", PPM: -1_000_000}), "ppm", "-1000000 is not between"},
		{"too fast", moment(ClockRate, Params{Target: "lock", PPM: 1_000_001}), "ppm", "is not between"},
		{"unknown clock", moment(ClockRate, Params{Target: "lock", PPM: 1, Clock: "sun"}), "clock", `unknown clock "sun"`},
		{"stranger", moment(ClockRate, Params{Target: "nobody", PPM: 1}), "target", `no worker or server is called "nobody"`},
	})
}

func TestClockRateIsOfTheWallClockUnlessSaid(t *testing.T) {
	actions := moment(ClockRate, Params{Target: "lock", PPM: 500}).actions(workers())
	if len(actions) != 1 || actions[0].Clock != ClockWall || actions[0].PPM != 500 {
		t.Errorf("the actions are %+v", actions)
	}
}
