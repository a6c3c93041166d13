package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

func (v *validator) checks() error {
	if !v.at.Has("checks") {
		for _, check := range v.known.checks {
			if check.AppliesTo(v.Workload.Kind) {
				v.Checks = append(v.Checks, check.Name)
			}
		}
		return nil
	}
	if len(v.Checks) == 0 {
		return v.at.Errorf("checks", "checks must name at least one; without checks, all are made")
	}
	for i, check := range v.Checks {
		at := fmt.Sprintf("checks[%d]", i)
		known := slices.IndexFunc(v.known.checks, func(c checker.Check) bool { return c.Name == check })
		if known < 0 {
			return v.at.Errorf(at, "%s", strictyaml.Unknown("check", check, v.known.checkNames()))
		}
		if !v.known.checks[known].AppliesTo(v.Workload.Kind) {
			return v.at.Errorf(at, "the check %s cannot judge the workload %s", check, v.Workload.Kind)
		}
		if slices.Contains(v.Checks[:i], check) {
			return v.at.Errorf(at, "the check %s is here twice", check)
		}
	}
	return nil
}

func (v *validator) expect() error {
	var labels []string
	for _, use := range v.Strategies {
		labels = append(labels, use.Label)
	}
	for _, label := range slices.Sorted(maps.Keys(v.Expect)) {
		at, e := "expect."+label, v.Expect[label]
		if v.known.replaced() && !slices.Contains(labels, label) {
			delete(v.Expect, label) // of a strategy that is no longer run
			continue
		}
		if !slices.Contains(labels, label) {
			return v.at.KeyErrorf(at, "%s", strictyaml.Unknown("label", label, labels))
		}
		if len(e.Holds)+len(e.Violates) == 0 && !e.Bounded() {
			return v.at.Errorf(at, "%s names no check in holds or violates, and no bound such as finished: \">= 95 %%\"", at)
		}
		for _, m := range results.Measures() {
			if b := m.Of(&e); !b.IsZero() && !slices.Contains(m.Units, b.Unit) {
				return v.at.Errorf(at+"."+m.Name, "%s.%s: %s", at, m.Name, m.Misfit(*b))
			}
		}
		if err := v.judged(at, v.Strategies[slices.Index(labels, label)], e); err != nil {
			return err
		}
		if err := v.expected(at+".holds", e.Holds, nil); err != nil {
			return err
		}
		if err := v.expected(at+".violates", e.Violates, e.Holds); err != nil {
			return err
		}
	}
	return nil
}

// judged refuses an expectation that names a check which has nothing to judge under the strategy.
func (v *validator) judged(at string, use Strategy, e results.Expect) error {
	entry := v.known.entries[use.Name]
	of := v.subject(entry, use)
	for _, check := range slices.Concat(e.Holds, e.Violates) {
		switch c, _ := checker.Lookup(check); {
		case c.Judges(of):
		case entry.LockFree:
			return v.at.Errorf(at, "%s: %s judges the holders of a lock, and %s takes no lock", at, check, use.Name)
		case c.OfTries(of.Workload) && of.Tries == 0:
			return v.at.Errorf(at, "%s: under %s, %s judges how often a job is begun, and %s does not limit that", at, of.Workload, check, use.Name)
		default:
			return v.at.Errorf(at, "%s: %s judges the grant of each section, and an owner of %s keeps its grant", at, check, use.Name)
		}
	}
	return nil
}

// expected checks one list of expected checks; those in others must not be in it.
func (v *validator) expected(at string, checks, others []string) error {
	for i, check := range checks {
		here := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case slices.Contains(others, check):
			return v.at.Errorf(here, "%s cannot both hold and be violated", check)
		case slices.Contains(checks[:i], check):
			return v.at.Errorf(here, "%s is here twice", check)
		case !slices.Contains(v.Checks, check) && slices.Contains(v.known.checkNames(), check):
			return v.at.Errorf(here, "%s is not among the scenario's checks: %s", check, strings.Join(v.Checks, ", "))
		case !slices.Contains(v.Checks, check):
			return v.at.Errorf(here, "%s", strictyaml.Unknown("check", check, v.Checks))
		}
	}
	return nil
}
