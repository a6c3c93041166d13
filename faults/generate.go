package faults

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
)

// Generate makes the plan of one run. The specs must be valid for these
// workers and this duration.
//
// Every length and gap is a draw by (seed, spec, target, ordinal), so one more
// worker, or one more spec at the end of the list, leaves the other faults
// where they are. A fault that falls again and again has a sequence of its
// own for each target, in which a gap counts from the end of the fault before.
//
// Timed steps come first, by their moment, at equal moments by spec and then
// in the order of the workers. They begin before duration and last for their
// full length, which may go beyond it. Steps tied to a point follow in the order
// of the specs. Timed pauses of one worker that overlap are one step.
func Generate(specs []Spec, seed uint64, workers []string, duration time.Duration) Plan {
	return generate(specs, func(Spec) bool { return true }, seed, workers, duration)
}

// GenerateCase makes the plan of a run under one case: the specs of other cases
// have no part in it, and those of none do.
func GenerateCase(specs []Spec, name string, seed uint64, workers []string, duration time.Duration) Plan {
	return generate(specs, func(s Spec) bool { return s.Case == "" || s.Case == name }, seed, workers, duration)
}

func generate(specs []Spec, has func(Spec) bool, seed uint64, workers []string, duration time.Duration) Plan {
	source := draw.New(seed)
	var timed, tied []Step
	for i, spec := range specs {
		if !has(spec) {
			continue
		}
		instant := spec.Fault.Info().Instant
		for _, fault := range spec.targets(workers) {
			stream := source.Stream("fault", fmt.Sprintf("%d/%s", i, target(fault, spec.When)))
			step := Step{Spec: i, Fault: fault}
			switch {
			case spec.When != nil:
				step.When = &When{spec.When.Worker, spec.When.Point, max(spec.When.Nth, 1)}
				first := stream.At(0)
				step.For = spec.length(instant, &first)
				tied = append(tied, step)
			case spec.Every != nil:
				timed = append(timed, spec.repeat(instant, step, stream, duration)...)
			default:
				step.At = *spec.At
				first := stream.At(0)
				step.For = spec.length(instant, &first)
				timed = append(timed, step)
			}
		}
	}
	slices.SortStableFunc(timed, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Spec, b.Spec))
	})
	return Plan{append(unitePauses(timed), tied...)}
}

// repeat makes the steps of one target of a fault that falls again and again.
func (s Spec) repeat(instant bool, step Step, stream draw.Stream, duration time.Duration) []Step {
	var steps []Step
	end := time.Duration(0)
	for ordinal := uint64(0); ; ordinal++ {
		d := stream.At(ordinal)
		step.At = end + s.Every.Sample(&d)
		if step.At >= duration {
			return steps
		}
		step.For = s.length(instant, &d)
		end = step.At + step.For
		steps = append(steps, step)
	}
}

// length draws how long a fault lasts. Distributions that come close to 0 may
// round to it, but a fault that lasts no time would be none, unless it is of a
// kind that takes no time.
func (s Spec) length(instant bool, d *draw.Draw) time.Duration {
	if instant {
		return 0
	}
	return max(s.For.Sample(d), 1)
}
