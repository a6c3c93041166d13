package results

import (
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
)

// Trial is what one run leaves: the history, the plan that was carried out,
// and what the checks say.
type Trial struct {
	Scenario string
	Label    string // of the strategy's use
	Strategy string
	Seed     uint64
	Plan     faults.Plan
	Bites    []Bite // by step of the plan
	History  *history.History
	Results  []checker.Result // in the order of the scenario's checks
	Metrics  checker.Metrics
	Checksum string // 16 hex digits over every event of the run
	Events   int64  // that the engine ran
	// Acquisitions is how many sections were entered.
	Acquisitions int64
	// Telling is the check that a story of the run is told by: of those that
	// decide and are violated the most serious one; "" if there is none.
	Telling string
	Replay  string // token that repeats the run
	Program string // that repeats it, as in Scenario
}

// Checks lists the checks that came to a verdict, in the order of the scenario.
func (t *Trial) Checks(verdict checker.Verdict) []string {
	var checks []string
	for _, r := range t.Results {
		if r.Verdict == verdict {
			checks = append(checks, r.Check)
		}
	}
	return checks
}

// Bite says whether a fault of the plan met anything.
type Bite struct {
	Happened bool // it was injected at all; a fault tied to a point may never
	Bit      bool // it overlapped a section, a live grant or a pending call of its target
	Begin    time.Duration
	End      time.Duration
}
