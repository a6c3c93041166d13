package faults

import (
	"fmt"
	"time"
)

// Target is the system that a plan is carried out on: the simulation, or real
// servers and processes.
type Target interface {
	// At calls do when the run has come to the moment.
	At(moment time.Duration, do func())
	// OnPoint calls do when worker comes to the point for the nth time, while
	// the worker is there.
	OnPoint(worker, point string, nth int, do func()) error
	// Apply lets the fault of a step take hold, now. The target ends it by itself after
	// Step.For. Of faults that overlap on one worker or link, each lasts until its own
	// end. Steps are numbered from 1.
	Apply(number int, s Step) error
}

// Drive hands every step of the plan to the target before the run begins. It
// returns the error of the first one that the target cannot take. A step that
// cannot take hold later, in the run, is told to failed. Both errors name the
// step; steps are numbered from 1 in the order of the plan.
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

// ask calls do with what a fault is applied to, as the interface that the kind of the
// fault needs. It returns an error if the target has no such methods.
func ask[T any](on any, f Fault, do func(T) error) error {
	t, ok := on.(T)
	if !ok {
		return fmt.Errorf("this target cannot carry out a %s", f.Info().Kind)
	}
	return do(t)
}
