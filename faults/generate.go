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
// Every length and gap is drawn by (seed, spec, target, ordinal), so one more
// worker, or one more spec at the end of the list, does not move the other
// faults. A repeated fault has a sequence of its own for each target, in which a gap begins at the
// end of the previous fault.
//
// Timed steps come first, ordered by moment, then by spec, then by worker. They
// begin before duration and last for their full length, which may exceed it.
// Steps tied to a point follow, in the order of the specs. Timed pauses of one
// worker that overlap are merged into one step.
func Generate(specs []Spec, seed uint64, workers []string, duration time.Duration) Plan {
	return generate(specs, func(Spec) bool { return true }, seed, workers, duration)
}

// GenerateCase makes the plan of a run under one case. It uses the specs of that case
// and those that belong to no case.
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
	return Plan{append(mergePauses(timed), tied...)}
}

// repeat makes the steps of a repeated fault for one target.
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

// length draws how long a fault lasts: 0 for an instant kind, else at least 1 ns,
// because a sample of a distribution near 0 may be rounded to 0.
func (s Spec) length(instant bool, d *draw.Draw) time.Duration {
	if instant {
		return 0
	}
	return max(s.For.Sample(d), 1)
}
