package faults

import (
	"fmt"
	"time"
)

// Target is the system that a plan is applied to: the simulation, or real servers
// and processes.
type Target interface {
	// At calls do at the moment of the run.
	At(moment time.Duration, do func())
	// OnPoint calls do when worker reaches the point for the nth time. The worker is still at the
	// point during the call.
	OnPoint(worker, point string, nth int, do func()) error
	// Apply begins the fault of a step now. The target ends it after Step.For. If
	// faults overlap on one worker or link, each lasts until its own end. Steps are
	// numbered from 1.
	Apply(number int, s Step) error
}

// Drive schedules every step of the plan on the target before the run begins. It
// returns the error of the first step that the target refuses. If a step fails
// later, during the run, Drive calls failed. Both errors name the step; steps are
// numbered from 1 in the order of the plan.
func Drive(p Plan, t Target, failed func(error)) error {
	for i, step := range p.Steps {
		number := i + 1
		apply := func() {
			if err := t.Apply(number, step); err != nil {
				failed(fmt.Errorf("step %d, %v: %w", number, step, err))
			}
		}
		if step.When == nil {
			t.At(step.At, apply)
			continue
		}
		if err := t.OnPoint(step.When.Worker, step.When.Point, step.When.Nth, apply); err != nil {
			return fmt.Errorf("step %d, %v: %w", number, step, err)
		}
	}
	return nil
}

// ask calls do with the target, as the interface T that the kind of the fault needs.
// It returns an error if the target does not implement T.
func ask[T any](on any, f Fault, do func(T) error) error {
	t, ok := on.(T)
	if !ok {
		return fmt.Errorf("this target does not support a %s", f.Info().Kind)
	}
	return do(t)
}
