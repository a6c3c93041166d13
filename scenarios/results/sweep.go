package results

import (
	"slices"
	"time"
)

// Sweep holds the results of a scenario for several values of one or two parameters. Every
// point has the same seeds, so that points differ only by the parameters.
type Sweep struct {
	Schema   int    `json:"schema"` // version of this format, 1
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Hash     string `json:"hash"` // of the scenario, before anything is varied
	// Overrides are the other values that --set changed, as path=value.
	Overrides []string  `json:"overrides,omitempty"`
	Program   string    `json:"program,omitempty"` // name of the program that repeats its runs
	Seeds     SeedRange `json:"seeds"`
	// Check is the check whose violations count; "" for all deciding checks.
	Check  string       `json:"check,omitempty"`
	Axes   []Axis       `json:"axes"`
	Points []SweepPoint `json:"points"` // the last axis varies fastest
	// Thresholds has the value at which each strategy breaks, if the sweep searched for it.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Partial    bool        `json:"partial,omitempty"` // stopped before the end
}

// SweepPoint holds the results for one choice of values.
type SweepPoint struct {
	Values     []string    `json:"values"` // by axis
	Strategies []SweepRate `json:"strategies"`
	// Met counts the faults that hit something, over all runs. If it is 0, a rate of 0 means
	// nothing.
	Met int64 `json:"faults_met"`
}

// Of returns the result of a label, or false if it was not run there.
func (p *SweepPoint) Of(label string) (SweepRate, bool) {
	i := slices.IndexFunc(p.Strategies, func(r SweepRate) bool { return r.Label == label })
	if i < 0 {
		return SweepRate{}, false
	}
	return p.Strategies[i], true
}

// SweepRate is the rate of one strategy at a point.
type SweepRate struct {
	Name      string  `json:"name"`
	Label     string  `json:"label"`
	Runs      int     `json:"runs"`
	Violating int     `json:"violating"` // runs that violate the sweep's Check
	Unknown   int     `json:"unknown"`   // runs that do not violate it, but with an unknown verdict
	Rate      float64 `json:"rate"`      // Violating / Runs
	Low       float64 `json:"low"`       // 95 % Wilson interval
	High      float64 `json:"high"`
	// Jobs and Finished are as in the metrics of the checker. Untested is the reason why a
	// rate of 0 means nothing.
	Jobs     int64  `json:"jobs"`
	Finished int64  `json:"finished"`
	Untested string `json:"untested,omitempty"`
	// Unmet has the bounds that are not met, of the scenario's expectation and of WithBounds.
	Unmet []BoundResult `json:"unmet,omitempty"`
	// Why is the reason in words why the strategy breaks here; "" if it does not.
	Why       string `json:"why,omitempty"`
	FirstSeed uint64 `json:"first_seed,omitempty"` // the first seed that counts in Violating
	Replay    string `json:"replay,omitempty"`     // token of that run
	// Checks are by name; Order lists them as the scenario does.
	Checks map[string]CheckStats `json:"checks"`
	Order  []string              `json:"order"`
}

// Breaks reports whether the values of the point break the strategy: a run
// violates the check, a bound is not met, or hardly any work was finished.
func (r SweepRate) Breaks() bool { return r.Violating > 0 || len(r.Unmet) > 0 || r.Untested != "" }

// Side is the side of a threshold on which a strategy breaks.
type Side string

// The sides.
const (
	Smallest Side = "smallest" // the strategy breaks from this value on
	Largest  Side = "largest"  // it breaks up to this value
	Always   Side = "always"   // it breaks at every step of the range
	Never    Side = "never"    // it breaks at no step
)

// Threshold is the value at which a strategy begins or stops to break, as
// [SweepRate.Breaks] defines it.
type Threshold struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Side  Side   `json:"side"`
	// Breaks is the value nearest to the threshold that breaks the strategy, and
	// Holds the one on the other side that does not. Always and Never have
	// neither.
	Breaks string `json:"breaks,omitempty"`
	Holds  string `json:"holds,omitempty"`
	// Why is the reason in words why it breaks at Breaks, or if it always breaks, at the
	// first step.
	Why string `json:"why,omitempty"`
	// Jobs and Finished count the work at the value Holds, with a 95 % Wilson interval of
	// the finished share.
	Jobs         int64   `json:"jobs,omitempty"`
	Finished     int64   `json:"finished,omitempty"`
	FinishedLow  float64 `json:"finished_low,omitempty"`
	FinishedHigh float64 `json:"finished_high,omitempty"`
	// Precision is the distance between the two as a share of Breaks.
	Precision float64 `json:"precision,omitempty"`
	// TTL is the strategy's TTL in nanoseconds, and Margin is Breaks as a share of it: the
	// part of a lease that a fault must last to break the strategy. Both are 0 if Breaks is
	// no duration, or is the TTL itself.
	TTL    time.Duration `json:"ttl,omitempty"`
	Margin float64       `json:"margin,omitempty"`
	// Changes counts the neighbouring steps of the range that differ. If there are several,
	// this is the threshold between the first two.
	Changes int    `json:"changes"`
	Replay  string `json:"replay,omitempty"` // token of a run that breaks
}
