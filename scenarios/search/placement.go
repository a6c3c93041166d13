package search

import (
	"errors"
	"fmt"
	"strings"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// fixed converts one step of a plan to an entry of a scenario's faults, which results in the same
// step for every seed.
func fixed(step faults.Step) faults.Spec {
	spec := faults.Spec{Fault: step.Fault}
	if step.For > 0 {
		spec.For = draw.Fixed(step.For)
	}
	if step.When != nil {
		when := *step.When
		spec.When = &when
	} else {
		at := step.At
		spec.At = &at
	}
	return spec
}

// ParsePlacement reads faults as lines of a plan without their last word, such
// as "when worker-1 lease-checked 1 pause worker-1 for 15s".
func ParsePlacement(lines ...string) ([]faults.Spec, error) {
	var specs []faults.Spec
	for _, line := range lines {
		plan, err := faults.ParsePlan(line + " #1")
		if err == nil && len(plan.Steps) != 1 {
			err = errors.New("it is not one line")
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a fault such as %q: %w", line, "when worker-1 lease-checked 1 pause worker-1 for 15s", err)
		}
		specs = append(specs, fixed(plan.Steps[0]))
	}
	return specs, nil
}

// lineOf returns the fault of a fixed entry in the form that ParsePlacement reads.
func lineOf(spec faults.Spec, workers []string) string {
	steps := faults.Generate([]faults.Spec{spec}, 0, workers, draw.Longest).Steps
	return strings.TrimSuffix(steps[0].String(), " #1")
}
