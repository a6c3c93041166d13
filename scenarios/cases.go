package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// A scenario has cases if entries of its faults name them: then every use of a
// strategy is run once for each case, with the faults of that case and those
// that belong to none.

// cases replaces each use of a strategy by one for each case.
func (v *validator) cases() error {
	classes := map[string]string{}
	for i, spec := range v.Faults {
		at := fmt.Sprintf("faults[%d]", i)
		if v.at.Has(at+".case") && !isName(spec.Case) {
			return v.at.Errorf(at+".case", "%s.case must be up to %d small letters, digits and dashes", at, LongestName)
		}
		if v.at.Has(at + ".class") {
			if err := v.name(at+".class", "class", spec.Class, texts(lock.Classes())); err != nil {
				return err
			}
		}
		class, seen := classes[spec.Case]
		switch {
		case spec.Case == "" && spec.Class != "":
			return v.at.Errorf(at+".class", "%s.class: only a case has one", at)
		case spec.Case == "":
		case !seen:
			classes[spec.Case] = spec.Class
		case class != spec.Class:
			return v.at.Errorf(at, "%s: the case %s is of class %q already", at, spec.Case, class)
		}
	}
	if v.Claims && len(classes) == 0 {
		return v.at.Errorf("claims", "claims: no fault has a case, so nothing is claimed")
	}
	if v.Claims {
		for i, use := range v.Strategies {
			if v.WorkloadOf(use).Commit == workload.CommitAfterRelease {
				return v.at.Errorf("claims", "claims: %s claims nothing of work that commits after the release", v.uses[i])
			}
		}
	}
	if _, taken := classes[results.NoFault]; taken {
		return v.at.Errorf("faults", "the case %s has no faults: give the case another name, or set no-fault", results.NoFault)
	}
	if len(classes) == 0 {
		if v.NoFault {
			return v.at.Errorf("no-fault", "no-fault: no fault has a case, so no run has one")
		}
		return nil
	}
	var uses []Strategy
	var at []string
	for i, use := range v.Strategies {
		for _, one := range v.underCases(use) {
			uses, at = append(uses, one), append(at, v.uses[i])
		}
	}
	v.Strategies, v.uses = uses, at
	return nil
}

// underCases returns a use once for each case of the scenario, if it has cases.
func (s *Scenario) underCases(use Strategy) []Strategy {
	var uses []Strategy
	if s.NoFault {
		uses = append(uses, use.under(results.NoFault))
	}
	for _, spec := range s.Faults {
		if spec.Case == "" || slices.ContainsFunc(uses, func(u Strategy) bool { return u.Case == spec.Case }) {
			continue
		}
		uses = append(uses, use.under(spec.Case))
	}
	if uses == nil {
		return []Strategy{use}
	}
	return uses
}

// under returns the use under a case.
func (use Strategy) under(name string) Strategy {
	use.Case, use.Label = name, use.Label+" under "+name
	return use
}

// Uncased merges the cases of each use into one, for a scenario without the faults of the cases.
func Uncased(uses []Strategy) []Strategy {
	var plain []Strategy
	for _, use := range uses {
		if use.Case != "" {
			use.Label, use.Case = strings.TrimSuffix(use.Label, " under "+use.Case), ""
		}
		if !slices.ContainsFunc(plain, func(u Strategy) bool { return u.Label == use.Label }) {
			plain = append(plain, use)
		}
	}
	return plain
}

// ClassOf returns the class of faults of a case, "" if it has no class.
func (s *Scenario) ClassOf(name string) string {
	for _, spec := range s.Faults {
		if name != "" && spec.Case == name {
			return spec.Class
		}
	}
	return ""
}

// ExpectOf returns the expectation of a use, and whether there is one: that of the file or, in a
// scenario of claims, the checks that the strategy claims to hold under the class of the case.
func (s *Scenario) ExpectOf(use Strategy) (results.Expect, bool) {
	if e, ok := s.Expect[use.Label]; ok || !s.Claims {
		if s.measuredPauses() {
			e.Violates = nil // what the pauses of the file break says nothing of those of the caller
		}
		return e, ok
	}
	if use.Library != "" {
		return results.Expect{}, false // the claims of the nearest strategy are not those of the library
	}
	entries := s.entries()
	i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name })
	if i < 0 {
		return results.Expect{}, false
	}
	holds := s.claimed(entries[i], use, lock.Class(s.ClassOf(use.Case)))
	return results.Expect{Holds: holds}, len(holds) > 0
}

// subject returns the facts about a use of a strategy that decide which checks can judge it.
func (s *Scenario) subject(e lock.Entry, use Strategy) checker.Subject {
	return checker.Subject{
		Workload: s.Workload.Kind, LockFree: e.LockFree, Keeps: e.Keeps, Tries: s.ParamsOf(e.Defaults, use, "").Tries,
	}
}

// claimed lists the checks that the strategy claims to hold for a use.
func (s *Scenario) claimed(e lock.Entry, use Strategy, class lock.Class) []string {
	claims := e.Claims
	if e.Fenced() && s.ResourceOf(use).Fence != "reads-writes" {
		claims.Corruption, claims.Fencing = nil, nil
	}
	of := s.subject(e, use)
	var holds []string
	for _, check := range s.Checks {
		var group []lock.Class // nothing is claimed of belief and of efficiency
		switch about := checker.Concerns(check); {
		case about == checker.Corruption:
			group = claims.Corruption
		case about == checker.Fencing:
			group = claims.Fencing
		case check == "told":
			group = claims.Told
		case about == checker.Service:
			group = claims.Service
		}
		if c, _ := checker.Lookup(check); !c.Judges(of) {
			continue
		}
		if slices.Contains(group, class) {
			holds = append(holds, check)
		}
	}
	return holds
}
