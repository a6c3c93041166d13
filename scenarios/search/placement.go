package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Place executes the run of each strategy with these faults, in a scenario of the reduced size of
// Explore. It returns that scenario, with the results as its expectations. Of the request it uses
// Workers, Sections, Seed, Strategies, Own and Stall. When ctx ends, it returns the cause.
func (q ExploreRequest) Place(ctx context.Context, s *scenarios.Scenario, specs []faults.Spec) (*scenarios.Scenario, []*results.Trial, error) {
	x, err := newExplorer(s, q)
	if err != nil {
		return nil, nil, err
	}
	placed := withFaults(x.base, specs...)
	for i, spec := range specs {
		if err := spec.Validate(placed.WorkerNames(), placed.Nodes(), placed.Duration); err != nil {
			return nil, nil, &Error{fmt.Sprintf("fault %d: %v", i+1, err)}
		}
		if spec.When == nil {
			continue
		}
		if err := scenarios.CheckPoint(spec.When.Point, slices.Concat(s.Own, q.Own)); err != nil {
			return nil, nil, &Error{fmt.Sprintf("fault %d: %v", i+1, err)}
		}
	}
	placed.Strategies, placed.Expect = x.uses, map[string]results.Expect{}
	var trials []*results.Trial
	for _, use := range x.uses {
		trial, err := x.jobs.One(ctx, placed, use, x.search.Seed)
		if err != nil {
			return nil, nil, err
		}
		trial.Replay = "" // a token names a file, and this scenario has none yet
		trials = append(trials, trial)
		if violated := trial.Checks(checker.Invalid); len(violated) > 0 {
			placed.Expect[use.Label] = results.Expect{Violates: violated}
		} else if holds := held(trial); len(holds) > 0 {
			placed.Expect[use.Label] = results.Expect{Holds: holds}
		}
	}
	return placed, trials, nil
}

// held lists the checks that had something to judge in a run and were not violated.
func held(t *results.Trial) []string {
	return slices.DeleteFunc(t.Checks(checker.Valid), func(check string) bool {
		return !slices.ContainsFunc(t.Results, func(r checker.Result) bool { return r.Check == check && r.Applies })
	})
}

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
