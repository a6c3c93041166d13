package scenarios

import (
	"lockquake/checker"
)

// mostTelling returns the most serious of the violated checks that decide for a
// label, "" if there is none.
func mostTelling(s *Scenario, label string, results []checker.Result) string {
	for _, check := range checker.Serious(verdictsOf(results, checker.Invalid)) {
		if decides(s, label, check) {
			return check
		}
	}
	return ""
}

// verdictsOf lists the checks that came to a verdict.
func verdictsOf(results []checker.Result, v checker.Verdict) []string {
	var checks []string
	for _, r := range results {
		if r.Verdict == v {
			checks = append(checks, r.Check)
		}
	}
	return checks
}
