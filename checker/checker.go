package checker

import (
	"fmt"
	"strings"

	"lockquake/checker/internal/linear"
	"lockquake/history"
)

// Run judges h by the named checks and returns one result for each, in the order of names. With nil
// names it runs the whole Catalogue. The result of a check that cannot judge the history's workload
// has Applies false.
//
// It returns an error if a name is unknown, or if the history contradicts itself and no verdict on
// it would mean anything.
func Run(h *history.History, names []string) ([]Result, error) {
	return run(h, names, linear.DefaultLimits())
}

// Judge does the same as Run for a caller that has already computed the sections of h. It also
// returns the run's metrics.
func Judge(h *history.History, sections []*history.Section, names []string) ([]Result, Metrics, error) {
	in := newInput(h, sections, linear.DefaultLimits())
	results, err := in.verdicts(names)
	if err != nil {
		return nil, Metrics{}, err
	}
	each := make(map[string]float64, len(h.Meta.Workers))
	m := in.measure(each)
	m.ofRun(in.EndAt(), h.Meta.Workers, each)
	return results, m, nil
}

func run(h *history.History, names []string, l linear.Limits) ([]Result, error) {
	sections, err := h.Sections()
	if err != nil {
		return nil, err
	}
	return newInput(h, sections, l).verdicts(names)
}

func (in *input) verdicts(names []string) ([]Result, error) {
	chosen, err := choose(names)
	if err != nil {
		return nil, err
	}
	of := Subject{Workload: in.Meta.Workload, LockFree: in.Meta.LockFree, Keeps: in.Meta.Keeps, Tries: in.Meta.Tries}
	results := make([]Result, 0, len(chosen))
	for _, c := range chosen {
		r := Result{Check: c.Name, Verdict: Valid}
		if c.AppliesTo(of.Workload) && c.Judges(of) {
			c.run(in, &r)
		}
		results = append(results, r)
	}
	return results, nil
}

// choose returns the named checks, with nil names the whole Catalogue.
func choose(names []string) ([]Check, error) {
	catalogue := Catalogue()
	if names == nil {
		return catalogue, nil
	}
	chosen := make([]Check, 0, len(names))
	for _, name := range names {
		c, ok := lookup(catalogue, name)
		if !ok {
			return nil, fmt.Errorf("unknown check %q; there are %s", name, strings.Join(Names(), ", "))
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}
