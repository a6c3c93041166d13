package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/stats"
)

// Campaign is a scenario run over many seeds and strategies, added up. It is
// what results.json holds.
type Campaign struct {
	Schema   int    `json:"schema"` // version of this format, 1
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Source   string `json:"source,omitempty"`
	About    string `json:"description,omitempty"`
	Hash     string `json:"hash"`           // of the scenario file
	Text     string `json:"text,omitempty"` // the scenario file
	// Overrides are the values that were set from outside, as path=value.
	Overrides []string  `json:"overrides,omitempty"`
	Program   string    `json:"program,omitempty"` // that repeats its runs, as in Scenario
	Seeds     SeedRange `json:"seeds"`
	// Until is the half width of an interval at which its strategy was run no
	// longer, as a share of 1; 0: all seeds were run.
	Until      float64         `json:"until,omitempty"`
	Locks      int             `json:"locks"`             // of each run: its resources
	Needed     int             `json:"needed"`            // fewest seeds that decide an expectation
	Partial    bool            `json:"partial,omitempty"` // stopped before all runs were done
	Step       time.Duration   `json:"step"`              // virtual time a point costs, in nanoseconds
	Wake       Wake            `json:"wake"`              // what a process that was stopped sees first
	WakeLag    string          `json:"wake_lag"`          // from waking to what is late, as a scenario file has it
	Cores      int             `json:"cores,omitempty"`   // of each process, if wake is drawn
	Verdict    Outcome         `json:"verdict"`
	Reasons    []string        `json:"reasons,omitempty"` // why the verdict is not pass, one sentence each
	Strategies []StrategyStats `json:"strategies"`
	// Paired compares each strategy with the first.
	Paired []PairStats  `json:"paired,omitempty"`
	Faults []FaultStats `json:"faults"`
}

// Summary says in one sentence how the campaign ended.
func (c *Campaign) Summary() string {
	if c.Verdict == Pass {
		var unasked []string
		for _, st := range c.Strategies {
			asked := slices.ContainsFunc(c.Strategies, func(other StrategyStats) bool { return other.Decides && other.Use() == st.Use() })
			if !asked && st.Violating > 0 && !slices.Contains(unasked, st.Use()) {
				unasked = append(unasked, st.Use())
			}
		}
		const most = 3
		switch n := len(unasked); {
		case n == 0:
			return "pass: everything as the scenario expects"
		case n > most:
			unasked = append(unasked[:most], fmt.Sprintf("%d more", n-most))
		}
		return "pass: everything as the scenario expects; failing without an expectation: " + strings.Join(unasked, ", ")
	}
	return string(c.Verdict) + ": " + strings.Join(c.Reasons, "; ")
}

// Outcome is the verdict on a campaign.
type Outcome string

// The outcomes: everything as expected, something not, or not known.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Unknown Outcome = "unknown"
)

// StrategyStats adds up the runs of one use of a strategy.
type StrategyStats struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Case  string `json:"case,omitempty"`  // of faults that it was run under
	Class string `json:"class,omitempty"` // of faults that the case belongs to
	Fence string `json:"fence"`           // the resource's policy
	Heeds Heeds  `json:"heeds"`           // how far the work looks at its context
	// HeedsOf are the workers whose work does otherwise.
	HeedsOf      map[string]Heeds `json:"heeds_of,omitempty"`
	Seeds        SeedSet          `json:"seeds,omitzero"` // of the runs that were done
	Runs         int              `json:"runs"`
	Violating    int              `json:"violating"` // runs in which a check that decides was violated
	Unknown      int              `json:"unknown"`   // runs, not violating, in which one could not tell
	Rate         float64          `json:"rate"`      // Violating / Runs
	Low          float64          `json:"low"`       // 95 % Wilson interval
	High         float64          `json:"high"`
	AtMost       float64          `json:"at_most,omitempty"` // exact bound to one side where no run is violating
	Acquisitions int64            `json:"acquisitions"`      // sections entered, over all runs
	Bit          int64            `json:"bit"`               // faults that met a section, a grant or a call, over all runs
	// Metrics are of all runs together; times are in nanoseconds.
	Metrics  checker.Metrics `json:"metrics"`
	Checksum string          `json:"checksum"` // over the checksums of the runs, in the order of seeds
	// Unread is why the holders of its locks could not be read off their server in
	// some of its runs, so that the checks that need them did not judge these.
	Unread string `json:"unread,omitempty"`
	// Checks are by name; Order lists them as the scenario does.
	Checks   map[string]CheckStats `json:"checks"`
	Order    []string              `json:"order"`
	Decides  bool                  `json:"decides"`           // its outcome counts for the campaign's
	Expected Expectation           `json:"expected"`          // whether what was seen is what was expected
	Expects  *Expect               `json:"expects,omitempty"` // what was expected
	Bounds   []BoundResult         `json:"bounds,omitempty"`  // what came of its bounds
	// Failures are the first failing runs of each check that are kept whole; those
	// that decide come first. In a campaign with cases only one of each check and
	// class of faults is; Checks has what repeats the others.
	Failures []Failure `json:"failures,omitempty"`
}

// Use is the label of a use without its case.
func (st StrategyStats) Use() string { return strings.TrimSuffix(st.Label, " under "+st.Case) }

// Expectation says whether what was seen is what was expected. In JSON it is
// true, false, or null for CannotTell.
type Expectation string

// The three values.
const (
	AsExpected    Expectation = "true"
	NotAsExpected Expectation = "false"
	CannotTell    Expectation = "unknown"
)

// MarshalJSON writes true, false or null.
func (e Expectation) MarshalJSON() ([]byte, error) {
	switch e {
	case AsExpected, NotAsExpected:
		return []byte(e), nil
	case CannotTell, "":
		return []byte("null"), nil
	}
	return nil, fmt.Errorf("scenarios: no expectation is called %q", string(e))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Expectation) UnmarshalJSON(data []byte) error {
	switch text := string(data); text {
	case "true", "false":
		*e = Expectation(text)
	case "null":
		*e = CannotTell
	default:
		return fmt.Errorf("scenarios: an expectation is true, false or null, not %s", text)
	}
	return nil
}

// CheckStats adds up one check over the runs of one strategy.
type CheckStats struct {
	Applies   bool   `json:"applies"` // in at least one run
	Violating int    `json:"violating"`
	Unknown   int    `json:"unknown"`
	FirstSeed uint64 `json:"first_seed,omitempty"` // first seed that violates it
	Replay    string `json:"replay,omitempty"`     // token of that run
	// Seeds are those that violate it, UnknownSeeds those of which one could not
	// tell.
	Seeds        SeedSet `json:"seeds,omitzero"`
	UnknownSeeds SeedSet `json:"unknown_seeds,omitzero"`

	PerRun *stats.Rate `json:"per_run,omitempty"`
	// Violations are counted one by one, in the Unit of the check: a run may hold
	// several. A lock-hour is an hour of virtual time of one lock. Dispersion is how
	// many come at a time. A check with a NoRate has violations and none of the rest.
	Violations  int64       `json:"violations"`
	Dispersion  float64     `json:"dispersion,omitempty"`
	PerThousand *stats.Rate `json:"per_1000_acquisitions,omitempty"`
	PerLockHour *stats.Rate `json:"per_lock_hour,omitempty"`
}

// Failure is the first run of a strategy that violates a check, whole.
type Failure struct {
	Check string `json:"check"`
	Seed  uint64 `json:"seed"`
	Trial *Trial `json:"-"`
}

// FaultStats adds up one entry of the scenario's faults over all runs of all
// strategies.
type FaultStats struct {
	Spec     int         `json:"spec"` // index in the scenario, from 0
	Kind     faults.Kind `json:"kind"`
	Case     string      `json:"case,omitempty"`
	Optional bool        `json:"optional,omitempty"`
	Planned  int64       `json:"planned"`
	Happened int64       `json:"happened"`
	Bit      int64       `json:"bit"`
}

// Add counts what became of one step of a plan.
func (f *FaultStats) Add(b Bite) {
	f.Planned++
	if b.Happened {
		f.Happened++
	}
	if b.Bit {
		f.Bit++
	}
}
