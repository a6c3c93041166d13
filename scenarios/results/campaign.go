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

// Campaign holds the results of a scenario over many seeds and strategies. It is the
// document results.json.
type Campaign struct {
	Schema   int    `json:"schema"` // version of this format, 1
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Source   string `json:"source,omitempty"`
	About    string `json:"description,omitempty"`
	Workload string `json:"workload,omitempty"` // kind of the work; "" in results of older versions
	Hash     string `json:"hash"`               // of the scenario file
	Text     string `json:"text,omitempty"`     // the scenario file
	// Overrides are the values that --set changed, as path=value.
	Overrides []string  `json:"overrides,omitempty"`
	Program   string    `json:"program,omitempty"` // name of the program that repeats its runs
	Seeds     SeedRange `json:"seeds"`
	// Until is the half width of an interval, as a share of 1: a strategy with an interval
	// of at most this width was stopped. 0: all seeds were run.
	Until float64 `json:"until,omitempty"`
	// Summed: the campaign has more than a million runs. It kept only their sums, and its lists
	// of seeds have the 1,000 lowest.
	Summed     bool            `json:"summed,omitempty"`
	Locks      int             `json:"locks"`             // number of resources in each run
	Needed     int             `json:"needed"`            // fewest seeds that decide an expectation
	Partial    bool            `json:"partial,omitempty"` // stopped before all runs were done
	Step       time.Duration   `json:"step"`              // virtual time that a point takes, in nanoseconds
	Wake       Wake            `json:"wake"`              // order in which a waking process works
	WakeLag    string          `json:"wake_lag"`          // lag of a waking process, in words
	Cores      int             `json:"cores,omitempty"`   // of each process, if wake is drawn
	Samples    []Samples       `json:"samples,omitempty"` // files of measured durations that the scenario draws from
	Setup      []Setting       `json:"setup,omitempty"`   // leases, faults and latency
	Verdict    Outcome         `json:"verdict"`
	Reasons    []string        `json:"reasons,omitempty"` // why the verdict is not pass: what was not expected or is unknown, one sentence each
	Strategies []StrategyStats `json:"strategies"`
	// Paired compares each strategy with the first.
	Paired []PairStats  `json:"paired,omitempty"`
	Faults []FaultStats `json:"faults"`
}

// Summary says in one line whether everything was as the scenario expects, and what was not. If the scenario
// expects nothing of the strategies that ran, it says so.
func (c *Campaign) Summary() string {
	if c.Verdict != Pass {
		return strings.Join(c.Reasons, "; ")
	}
	if !slices.ContainsFunc(c.Strategies, func(st StrategyStats) bool { return st.Decides }) {
		return fmt.Sprintf("nothing is expected of %s here; a violation decides nothing", c.uses())
	}
	var unasked []string
	failed := map[string]int{}
	for _, st := range c.Strategies {
		asked := slices.ContainsFunc(c.Strategies, func(other StrategyStats) bool { return other.Decides && other.Use() == st.Use() })
		if !asked && st.Violating > 0 {
			if failed[st.Use()] == 0 {
				unasked = append(unasked, st.Use())
			}
			failed[st.Use()] += st.Violating
		}
	}
	const most = 3
	n, them := len(unasked), "them"
	switch n {
	case 0:
		return "as expected"
	case 1:
		them = "it"
	}
	for i, use := range unasked {
		unasked[i] = fmt.Sprintf("%s failed in %s", use, runs(failed[use]))
	}
	if n > most {
		unasked = append(unasked[:most], fmt.Sprintf("%d more failed", n-most))
	}
	return fmt.Sprintf("as expected. %s; the scenario has no expectation for %s", strings.Join(unasked, ", "), them)
}

// uses names the strategies that ran: all, or how many there are.
func (c *Campaign) uses() string {
	var labels []string
	for _, st := range c.Strategies {
		if !slices.Contains(labels, st.Use()) {
			labels = append(labels, st.Use())
		}
	}
	const most = 3
	if len(labels) > most {
		return fmt.Sprintf("these %d strategies", len(labels))
	}
	return strings.Join(labels, ", ")
}

// Setting is a setting of the scenario that the rates depend on, in words.
type Setting struct {
	Name  string `json:"name"` // such as "TTL" or "pause of each worker"
	Value string `json:"value"`
}

// Outcome is the verdict on a campaign.
type Outcome string

// The outcomes: everything is as expected, something is not, or it is unknown.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Unknown Outcome = "unknown"
)

// StrategyStats adds up the runs of one use of a strategy.
type StrategyStats struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Case  string `json:"case,omitempty"`  // case of faults of its runs
	Class string `json:"class,omitempty"` // class of faults of the case
	Fence string `json:"fence"`           // the resource's policy
	Heeds Heeds  `json:"heeds"`           // how strictly the work obeys its context
	// HeedsOf has the workers whose work differs.
	HeedsOf      map[string]Heeds `json:"heeds_of,omitempty"`
	Seeds        SeedSet          `json:"seeds,omitzero"` // of the runs that were done
	Runs         int              `json:"runs"`
	Violating    int              `json:"violating"` // runs that violate a deciding check
	Unknown      int              `json:"unknown"`   // runs that violate none, but with an unknown deciding check
	Rate         float64          `json:"rate"`      // Violating / Runs
	Low          float64          `json:"low"`       // 95 % Wilson interval
	High         float64          `json:"high"`
	AtMost       float64          `json:"at_most,omitempty"`  // exact one-sided bound if no run is violating
	Acquisitions int64            `json:"acquisitions"`       // sections entered, over all runs
	Hit          int64            `json:"bit"`                // faults that hit a section, a grant or a call, over all runs
	HitRuns      int              `json:"bit_runs,omitempty"` // runs with at least one of them; without those of the lock's servers if the strategy takes no lock
	// Metrics are of all runs together; times are in nanoseconds.
	Metrics  checker.Metrics `json:"metrics"`
	Checksum string          `json:"checksum"` // over the checksums of the runs, in the order of seeds; if the campaign is Summed, their sum with the seeds
	// Unread is the reason why the holders of its locks could not be read from their server
	// in some runs. Checks that need the holders did not judge these runs.
	Unread string `json:"unread,omitempty"`
	// Tokens says that the fencing tokens of a lock of the caller's do not fit its resource; "" if they do, or if the runs do
	// not show it.
	Tokens Tokens `json:"tokens,omitempty"`
	// Checks are by name; Order lists them as the scenario does.
	Checks   map[string]CheckStats `json:"checks"`
	Order    []string              `json:"order"`
	Decides  bool                  `json:"decides"`           // its outcome counts for the verdict of the campaign
	Expected Expectation           `json:"expected"`          // whether the results are as expected
	Expects  *Expect               `json:"expects,omitempty"` // the expectation
	Bounds   []BoundResult         `json:"bounds,omitempty"`  // the results for its bounds
	// Failures has the first failing run of each check with its history, those of deciding
	// checks first. In a campaign with cases it has only one for each check and class of
	// faults; Checks has the tokens that repeat the others.
	Failures []Failure `json:"failures,omitempty"`
}

// Tokens says why fencing tokens and the policy of a resource do not fit.
type Tokens string

// The two reasons.
const (
	TokensIgnored Tokens = "ignored" // the lock hands out tokens, and the resource checks none
	TokensMissing Tokens = "missing" // the lock hands out none, and the resource refuses work without one
)

// Use returns the label of a use without its case.
func (st StrategyStats) Use() string { return strings.TrimSuffix(st.Label, " under "+st.Case) }

// Expectation tells whether the results are as expected. In JSON it is true, false, or null
// for CannotTell.
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
	Applies   bool   `json:"applies"` // it had something to judge in at least one run
	Violating int    `json:"violating"`
	Unknown   int    `json:"unknown"`
	FirstSeed uint64 `json:"first_seed,omitempty"` // first seed that violates it
	Replay    string `json:"replay,omitempty"`     // token of that run
	// Seeds lists the seeds that violate it, UnknownSeeds those with an unknown verdict.
	Seeds        SeedSet `json:"seeds,omitzero"`
	UnknownSeeds SeedSet `json:"unknown_seeds,omitzero"`

	PerRun *stats.Rate `json:"per_run,omitempty"`
	// Violations counts violations in the Unit of the check; a run can have several. A
	// lock-hour is an hour of virtual time of one lock. Dispersion measures how many
	// violations come together. A check with a NoRate has only Violations.
	Violations  int64       `json:"violations"`
	Dispersion  float64     `json:"dispersion,omitempty"`
	PerThousand *stats.Rate `json:"per_1000_acquisitions,omitempty"`
	PerLockHour *stats.Rate `json:"per_lock_hour,omitempty"`
}

// Failure is the first run of a strategy that violates a check, with its history.
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
	Hit      int64       `json:"bit"`
}

// Name names a fault by its number in the scenario, from 1, its case if it has one, and its kind.
func (f FaultStats) Name() string {
	if f.Case != "" {
		return fmt.Sprintf("%d, %s (%s)", f.Spec+1, f.Case, f.Kind)
	}
	return fmt.Sprintf("%d (%s)", f.Spec+1, f.Kind)
}

// IdleFaults lists the faults that have to hit a section, a lease or a call of some run, and hit none.
// It leaves out those of cases that no strategy was run under.
func (c *Campaign) IdleFaults() []FaultStats {
	return slices.DeleteFunc(slices.Clone(c.Faults), func(f FaultStats) bool {
		run := slices.ContainsFunc(c.Strategies, func(st StrategyStats) bool { return f.Case == "" || f.Case == st.Case })
		return f.Hit > 0 || f.Optional || !run
	})
}

// Vacuous reports whether the runs show nothing about the locks, although some check is expected to hold: the scenario
// has no fault, nothing was violated, and no two sections competed for a lock. Work without a lock, and runs whose
// holders could not be read, say nothing about competition.
func (c *Campaign) Vacuous() bool {
	locks, holds := false, false
	for _, st := range c.Strategies {
		m := st.Metrics
		if st.Violating > 0 || m.Contended > 0 || m.MostWaiting > 1 || m.TwoHolders.N > 0 {
			return false
		}
		if m.Tenure.N == 0 || m.ContendedOf == 0 {
			continue
		}
		locks = true
		holds = holds || st.Decides && (st.Expects == nil || len(st.Expects.Holds) > 0)
	}
	return len(c.Faults) == 0 && locks && holds
}

// Add counts one step of a plan.
func (f *FaultStats) Add(in Injection) {
	f.Planned++
	if in.Happened {
		f.Happened++
	}
	if in.Hit {
		f.Hit++
	}
}
