package faults

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// clockStepKind moves a wall clock at once, and back when the fault is over: a
// wrong time server that is put right, or an operator's slip.
func clockStepKind() KindInfo {
	info := nodeKind(ClockStep, "moves the wall clock of a worker or a server forward or back at once, and back again after the time given", "by", "every", "for").
		withBy("worker or server", math.MinInt64).does(Steps)
	info.check = func(p Params) error {
		if p.By == 0 {
			return &ParamError{"by", "is missing: how far the clock moves, such as 30s or -5s"}
		}
		return nil
	}
	anyStep := info.parse
	info.parse = func(r *stepReader) Action {
		a := anyStep(r)
		if a.By == 0 {
			r.fail("a clock-step by 0s is none")
		}
		return a
	}
	return info
}

// mostPPM is the fastest that a clock can run: twice as fast as true time. At
// its negative it would stand still.
const mostPPM = 1_000_000

// clockRateKind lets a clock run fast or slow for a while.
func clockRateKind() KindInfo {
	info := nodeKind(ClockRate, "lets a clock of a worker or a server run fast or slow, in parts per million", "clock", "ppm", "every", "for").does(Skews)
	info.check = checkClockRate
	info.actions = func(s Spec, workers []string) []Action {
		s.Params.Clock = cmp.Or(s.Params.Clock, ClockWall)
		return targets(s, workers)
	}
	info.words = func(a Action) []string {
		return []string{a.Target, string(a.Clock), strconv.FormatInt(a.PPM, 10), "ppm"}
	}
	info.parse = func(r *stepReader) Action {
		a := Action{Target: r.word("worker or server"), Clock: Clock(r.word("clock"))}
		if !slices.Contains(Clocks(), a.Clock) {
			r.fail("unknown clock %q, known are %v", a.Clock, Clocks())
		}
		text := r.word("rate")
		ppm, err := strconv.ParseInt(text, 10, 64)
		if err != nil || ppm == 0 || ppm <= -mostPPM || ppm > mostPPM {
			r.fail("%q is no rate between -%d and %d parts per million", text, mostPPM, mostPPM)
		}
		a.PPM = ppm
		r.expect("ppm")
		return a
	}
	return info
}

func checkClockRate(p Params) error {
	switch {
	case p.PPM == 0:
		return &ParamError{"ppm", "is missing: how much too fast the clock runs, in parts per million"}
	case p.PPM <= -mostPPM || p.PPM > mostPPM:
		return &ParamError{"ppm", fmt.Sprintf("%d is not between -%d and %d", p.PPM, mostPPM, mostPPM)}
	case p.Clock != "" && !slices.Contains(Clocks(), p.Clock):
		return &ParamError{"clock", fmt.Sprintf("unknown clock %q, known are %v", p.Clock, Clocks())}
	}
	return nil
}
