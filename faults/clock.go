package faults

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// clockStepKind moves a wall clock at once, and back when the fault is over: a
// wrong time server that is put right, or an operator's slip.
func clockStepKind() KindInfo {
	return KindInfo{
		Kind:   ClockStep,
		Doc:    "moves the wall clock of a worker or a server forward or back at once, and back again after the time given",
		Params: []string{"target", "by", "every", "for"},
		Point:  AnyPoint,
		Server: true,
		validate: func(s Spec, workers, nodes []string) error {
			if s.Params.By == 0 {
				return &ParamError{"by", "is missing: how far the clock moves, such as 30s or -5s"}
			}
			return validateNode(s, workers, nodes)
		},
		actions: targets,
		words:   func(a Action) []string { return []string{a.Target, "by", a.By.String()} },
		parse: func(r *stepReader) Action {
			a := Action{Target: r.word("worker or server")}
			r.expect("by")
			if a.By = r.duration(math.MinInt64); a.By == 0 {
				r.fail("a clock-step by 0s is none")
			}
			return a
		},
	}
}

// mostPPM is the fastest that a clock can run: twice as fast as true time. At
// its negative it would stand still.
const mostPPM = 1_000_000

// clockRateKind lets a clock run fast or slow for a while.
func clockRateKind() KindInfo {
	return KindInfo{
		Kind:     ClockRate,
		Doc:      "lets a clock of a worker or a server run fast or slow, in parts per million",
		Params:   []string{"target", "clock", "ppm", "every", "for"},
		Point:    AnyPoint,
		Server:   true,
		validate: validateClockRate,
		actions: func(s Spec, workers []string) []Action {
			if s.Params.Clock == "" {
				s.Params.Clock = ClockWall
			}
			return targets(s, workers)
		},
		words: func(a Action) []string {
			return []string{a.Target, string(a.Clock), strconv.FormatInt(a.PPM, 10), "ppm"}
		},
		parse: func(r *stepReader) Action {
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
		},
	}
}

func validateClockRate(s Spec, workers, nodes []string) error {
	switch ppm := s.Params.PPM; {
	case ppm == 0:
		return &ParamError{"ppm", "is missing: how much too fast the clock runs, in parts per million"}
	case ppm <= -mostPPM || ppm > mostPPM:
		return &ParamError{"ppm", fmt.Sprintf("%d is not between -%d and %d", ppm, mostPPM, mostPPM)}
	}
	if clock := s.Params.Clock; clock != "" && !slices.Contains(Clocks(), clock) {
		return &ParamError{"clock", fmt.Sprintf("unknown clock %q, known are %v", clock, Clocks())}
	}
	return validateNode(s, workers, nodes)
}
