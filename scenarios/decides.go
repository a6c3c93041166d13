package scenarios

import (
	"slices"

	"lockquake/checker"
)

// Decides reports whether a violation of the check counts for the label. If the label has an
// expectation, the checks that it names count. Otherwise every check that is not advisory counts.
func (s *Scenario) Decides(label, check string) bool {
	// The claims of a strategy are only a part of its checks.
	if e, ok := s.Expect[label]; ok && !s.Claims {
		return slices.Contains(e.Holds, check) || slices.Contains(e.Violates, check)
	}
	return !checker.Advisory(check)
}

// MostTelling returns the most serious of the violated checks that decide for a
// label, "" if there is none.
func (s *Scenario) MostTelling(label string, violated []string) string {
	for _, check := range checker.Serious(violated) {
		if s.Decides(label, check) {
			return check
		}
	}
	return ""
}
