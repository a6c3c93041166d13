package results

import (
	"slices"
	"time"
)

// Sweep is a scenario run again and again with other values of one or two
// parameters. Every point meets the same seeds, so that the points differ by
// the parameters alone.
type Sweep struct {
	Schema   int    `json:"schema"` // version of this format, 1
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Hash     string `json:"hash"` // of the scenario, before anything is varied
	// Overrides are what else was set from outside, as path=value.
	Overrides []string  `json:"overrides,omitempty"`
	Program   string    `json:"program,omitempty"` // that repeats its runs, as in Scenario
	Seeds     SeedRange `json:"seeds"`
	// Check is the check that counts; "" for any that decides.
	Check  string       `json:"check,omitempty"`
	Axes   []Axis       `json:"axes"`
	Points []SweepPoint `json:"points"` // the last axis goes through its values first
	// Thresholds are where each strategy breaks, if that was looked for.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Partial    bool        `json:"partial,omitempty"` // stopped before the end
}

// SweepPoint is what came out for one choice of values.
type SweepPoint struct {
	Values     []string    `json:"values"` // by axis
	Strategies []SweepRate `json:"strategies"`
	// Met is how many faults hit something, over all runs. Where there were none,
	// a rate of 0 says nothing.
	Met int64 `json:"faults_met"`
}

// Of returns what came out for a label, or false if it was not run there.
func (p *SweepPoint) Of(label string) (SweepRate, bool) {
	i := slices.IndexFunc(p.Strategies, func(r SweepRate) bool { return r.Label == label })
	if i < 0 {
		return SweepRate{}, false
	}
	return p.Strategies[i], true
}

// SweepRate is how often one strategy fails at a point.
type SweepRate struct {
	Name      string  `json:"name"`
	Label     string  `json:"label"`
	Runs      int     `json:"runs"`
	Violating int     `json:"violating"` // runs that violate the sweep's Check
	Unknown   int     `json:"unknown"`   // runs, not violating, in which it could not be told
	Rate      float64 `json:"rate"`      // Violating / Runs
	Low       float64 `json:"low"`       // 95 % Wilson interval
	High      float64 `json:"high"`
	// Jobs and Finished are as in the metrics of the checker. Untested says why the
	// rate of a strategy that was not seen to fail says nothing.
	Jobs     int64  `json:"jobs"`
	Finished int64  `json:"finished"`
	Untested string `json:"untested,omitempty"`
	// Unmet are the bounds that the figures do not keep to: those that the scenario
	// expects of the strategy, and those of WithBounds.
	Unmet []BoundResult `json:"unmet,omitempty"`
	// Why says in words what breaks the strategy here; "" if nothing does.
	Why       string `json:"why,omitempty"`
	FirstSeed uint64 `json:"first_seed,omitempty"` // that is counted in Violating
	Replay    string `json:"replay,omitempty"`     // token of that run
	// Checks are by name; Order lists them as the scenario does.
	Checks map[string]CheckStats `json:"checks"`
	Order  []string              `json:"order"`
}

// Breaks reports whether the values of the point break the strategy: a run
// violates the check, a bound is not met, or hardly any work was finished.
func (r SweepRate) Breaks() bool { return r.Violating > 0 || len(r.Unmet) > 0 || r.Untested != "" }

// Side says on which side of a threshold a strategy breaks.
type Side string

// The sides.
const (
	Smallest Side = "smallest" // it breaks from this value on
	Largest  Side = "largest"  // it breaks up to this value
	Always   Side = "always"   // it breaks at every step of the range
	Never    Side = "never"    // it breaks at none
)

// Threshold is where a strategy begins to break, or ceases to. A value breaks
// it as [SweepRate.Breaks] says.
type Threshold struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Side  Side   `json:"side"`
	// Breaks is the value nearest to the threshold that breaks the strategy, and
	// Holds the one on the other side that does not. Always and Never have
	// neither.
	Breaks string `json:"breaks,omitempty"`
	Holds  string `json:"holds,omitempty"`
	// Why says what breaks it at Breaks, in words, or if it always breaks, at the
	// first step.
	Why string `json:"why,omitempty"`
	// At Holds Finished of Jobs were finished, with a 95 % Wilson interval of the
	// share.
	Jobs         int64   `json:"jobs,omitempty"`
	Finished     int64   `json:"finished,omitempty"`
	FinishedLow  float64 `json:"finished_low,omitempty"`
	FinishedHigh float64 `json:"finished_high,omitempty"`
	// Precision is the distance between the two as a share of Breaks.
	Precision float64 `json:"precision,omitempty"`
	// TTL is the strategy's, in nanoseconds, and Margin is Breaks as a share of
	// it: how much of the lease the fault has to last. Both are 0 where Breaks is
	// no duration, or is the TTL itself.
	TTL    time.Duration `json:"ttl,omitempty"`
	Margin float64       `json:"margin,omitempty"`
	// Changes is how often neighbouring steps of the range differ. If it is more
	// than once, this is the threshold between the first two that do.
	Changes int    `json:"changes"`
	Replay  string `json:"replay,omitempty"` // token of a run that breaks
}
