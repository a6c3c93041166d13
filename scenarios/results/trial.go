package results

import (
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
)

// Trial holds the results of one run: its history, its plan, and the verdicts of the
// checks.
type Trial struct {
	Scenario   string
	Label      string // of the strategy's use
	Strategy   string
	Seed       uint64
	Plan       faults.Plan
	Injections []Injection // by step of the plan
	History    *history.History
	Results    []checker.Result // in the order of the scenario's checks
	Metrics    checker.Metrics
	Checksum   string // 16 hex digits over every event of the run
	Events     int64  // number of events of the engine
	// Acquisitions is the number of entered sections.
	Acquisitions int64
	// Telling is the check for which a story of the run is told: the most serious violated
	// check that decides; "" if there is none.
	Telling string
	Replay  string // token that repeats the run
	Program string // name of the program that repeats it
	// Parts has, for each violated check of a run that was judged lock by lock, the run as one of its locks
	// saw it: the results of the first lock that violates the check, and a history with only its events and the
	// faults that concern it. Nil for other runs.
	Parts map[string]*Trial
}

// About returns the run, or the part of it, whose history shows the violation of a check; nil if there is
// none.
func (t *Trial) About(check string) *Trial {
	if t.Parts == nil {
		return t
	}
	return t.Parts[check]
}

// Checks lists the checks that reached a verdict, in the order of the scenario.
func (t *Trial) Checks(verdict checker.Verdict) []string {
	var checks []string
	for _, r := range t.Results {
		if r.Verdict == verdict {
			checks = append(checks, r.Check)
		}
	}
	return checks
}

// Injection tells whether a fault of the plan was injected, and whether it hit anything.
type Injection struct {
	Happened bool // it was injected; a fault tied to a point may not be
	Hit      bool // it overlapped a section, a live grant or a pending call of its target
	Begin    time.Duration
	End      time.Duration
}
