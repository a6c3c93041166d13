package results

import (
	"time"

	"lockquake/internal/stats"
)

// Year is the mean length of a year of the Gregorian calendar in hours.
const Year = 8765.82

// Yearly holds how often a year the locks of a user fail because of pauses. It is the document that
// lockquake rate prints with --format json, and its rate.json. Its rates are the rate of long pauses,
// times the share of violating runs that have exactly one long pause each.
type Yearly struct {
	Schema   int    `json:"schema"` // version of this format, 1
	Version  string `json:"version"`
	Program  string `json:"program,omitempty"` // name of the program that repeats its runs
	Command  string `json:"command,omitempty"` // the command that reproduces the figures
	Scenario string `json:"scenario"`
	Workload string `json:"workload"` // its kind
	// Path is the scenario of the runs, with the pauses of the log, in the report; "" without a report.
	Path string `json:"path,omitempty"`
	Hash string `json:"hash"` // of that scenario
	// Overrides are the values that --set changed, as path=value.
	Overrides []string `json:"overrides,omitempty"`
	// Replaced counts the faults of the scenario that the pauses of the log replace.
	Replaced int    `json:"replaced,omitempty"`
	Check    string `json:"check,omitempty"` // the check whose violations count; "" for all of corruption
	Locks    int    `json:"locks"`
	// Processes are those that use one lock. A pause stops one of them.
	Processes int       `json:"processes"`
	Log       PauseLog  `json:"log"`
	Long      Long      `json:"long"`
	Short     Short     `json:"short"`
	Neglected Neglected `json:"neglected"`
	// Duration is the stretch of a run in which its pause begins, in nanoseconds.
	Duration   time.Duration `json:"duration"`
	Seeds      SeedRange     `json:"seeds"`
	Strategies []YearlyRate  `json:"strategies"`
	Partial    bool          `json:"partial,omitempty"` // stopped before the end
}

// PauseLog is the file with the pauses of one process.
type PauseLog struct {
	File    string        `json:"file"`
	Kind    string        `json:"kind"`
	Count   int           `json:"count"`
	Longest time.Duration `json:"longest"` // in nanoseconds
	// Over is the time that the log covers, in nanoseconds, summed over processes. Stated: it was given
	// by the caller and not by the log.
	Over   time.Duration `json:"over"`
	Stated bool          `json:"stated,omitempty"`
}

// Hours returns the time that the log covers.
func (p PauseLog) Hours() float64 { return p.Over.Hours() }

// Long has the pauses that may break a lock.
type Long struct {
	// From is the length of the shortest of them: less than the shortest pause that breaks a
	// strategy at its worst point.
	From  time.Duration `json:"from"`
	Count int           `json:"count"`
	// PerHour is their rate for each hour of a process, with Garwood's 95 % interval. If there are none, its
	// High is the bound that the rates of a year use, one-sided at 97.5 %.
	PerHour stats.Rate `json:"per_hour"`
	// Capped is the length in the runs of the longer ones of the log; 0 if there are none.
	Capped time.Duration `json:"capped,omitempty"`
	// Assumed is the length of the pauses of the runs if the log has no long ones; else 0.
	Assumed time.Duration `json:"assumed,omitempty"`
	// Tested has the lengths, all below From, of pauses that were placed at every point of a small run
	// of each strategy. None of them broke a check that counts.
	Tested []time.Duration `json:"tested"`
	Placed int             `json:"placed"` // pauses of these lengths, over all strategies
	// Lowered reports that such a pause broke a check at first, so that From is below what the search had found.
	Lowered bool `json:"lowered,omitempty"`
	// Command places the longest of them, with the first of Seeds seeds. It is "" if nothing was placed.
	Command string `json:"command,omitempty"`
	Seeds   int    `json:"seeds,omitempty"`
}

// Short has the other pauses of the log. A run has those of at least Least as a background.
type Short struct {
	Count int           `json:"count"` // of at least Least
	Least time.Duration `json:"least"`
	Every time.Duration `json:"every,omitempty"` // mean time from the end of one to the next, of a process
}

// Neglected has about what the estimate leaves out, in violations a year of all locks if each such pair
// of pauses is one.
type Neglected struct {
	// ShortPairs are pairs of pauses of one process within a lease and the longest work that are long only together.
	ShortPairs float64 `json:"short_pairs"`
	// LongPairs are pairs of long pauses of the processes of one lock, of which the second begins
	// before the effects of the first are over.
	LongPairs float64       `json:"long_pairs"`
	Within    time.Duration `json:"within"` // of a pair of long ones
}

// YearlyRate has the runs of one use of a strategy.
type YearlyRate struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Breaks is the shortest pause that was found to break it at its worst point, and At that placement.
	// Breaks is 0 if no pause of up to Unbroken breaks it at any point.
	Breaks   time.Duration `json:"breaks,omitempty"`
	At       string        `json:"at,omitempty"`
	Unbroken time.Duration `json:"unbroken,omitempty"`
	// Without are the checks that it violates without any pause. Then it has no runs.
	Without []string `json:"violated_without_pauses,omitempty"`

	Runs      int   `json:"runs"`      // with one long pause each
	Violating int   `json:"violating"` // of them
	Unknown   int   `json:"unknown,omitempty"`
	Hit       int   `json:"hit"` // of them, those whose long pause overlapped a section, a grant or a call
	Jobs      int64 `json:"jobs"`
	Finished  int64 `json:"finished"`
	// Dispersion is that of the long pauses, as in stats.Causes.
	Dispersion float64 `json:"dispersion"`
	// Calm counts runs with short pauses only, CalmViolating those of them that violate a check.
	Calm          int `json:"calm"`
	CalmViolating int `json:"calm_violating"`
	// PerYear is the rate for all locks, with its 95 % interval. It is nil without runs, and if a calm run violates a
	// check: then long pauses are not the only cause.
	PerYear *stats.Rate `json:"per_year,omitempty"`
	// Most has the factors of PerYear.AtMost. It is nil if that is 0.
	Most *YearlyMost `json:"most,omitempty"`
	// Check is the most serious violated check of the first violating seed, and Replay the token of this run; ""
	// without a report.
	Check     string `json:"check,omitempty"`
	FirstSeed uint64 `json:"first_seed,omitempty"`
	Replay    string `json:"replay,omitempty"`
}

// YearlyMost has the factors of the upper bound of a rate, each one-sided at 97.5 %.
type YearlyMost struct {
	// Causes counts the pauses of the log that can break the strategy: of all long ones, those of at least Breaks if no
	// run violates a check.
	Causes int `json:"causes"`
	// Runs are those with such a pause.
	Runs    int     `json:"runs"`
	PerHour float64 `json:"per_hour"` // of the causes, for each hour of a process
	Share   float64 `json:"share"`    // of the violating runs
}

// Share returns the share of the runs that violate a check.
func (r *YearlyRate) Share() float64 { return float64(r.Violating) / float64(max(1, r.Runs)) }
