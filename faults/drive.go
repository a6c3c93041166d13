package faults

import "fmt"

// Drive hands every step of the plan to the target before the run begins. It
// returns the error of the first one that the target cannot take. A step that
// cannot take hold later, in the run, is told to failed. Both errors name the
// step; steps are numbered from 1 in the order of the plan.
func Drive(p Plan, t Target, failed func(error)) error {
	for i, step := range p.Steps {
		number := i + 1
		apply := func() {
			if err := t.Apply(number, step.Action); err != nil {
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
