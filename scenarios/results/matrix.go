package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"lockquake/checker"
	"lockquake/internal/stats"
)

// Matrix holds the results of all strategies for each need. It is the document matrix.json.
type Matrix struct {
	Schema   int    `json:"schema"`   // version of this format, 1
	Scenario string `json:"scenario"` // "matrix"
	Version  string `json:"version"`
	Program  string `json:"program,omitempty"` // name of the program that repeats its runs
	// Seeds are those of a cell. A strategy that fails a need within the first Screen seeds has no
	// other runs. A cell whose faults hit in fewer runs than EnoughRuns has the seeds that follow too,
	// up to Most in all; 0: no further ones.
	Seeds   SeedRange      `json:"seeds"`
	Screen  int            `json:"screen"`
	Most    int            `json:"most,omitempty"`
	Partial bool           `json:"partial,omitempty"` // stopped before all runs were done
	Runs    int            `json:"runs"`              // of all cells
	Needs   []MatrixNeed   `json:"needs"`
	Advice  []MatrixAdvice `json:"advice,omitempty"`
}

// MatrixNeed holds the results of one need: a row for each strategy, a cell for each case.
type MatrixNeed struct {
	Name     string       `json:"name"`  // such as "leader"
	Title    string       `json:"title"` // a few words
	Asks     string       `json:"asks"`  // what a strategy has to do, in one sentence
	Scenario string       `json:"scenario"`
	Hash     string       `json:"hash"`
	Cases    []MatrixCase `json:"cases"`
	// Lease is the TTL of all locks, in nanoseconds; a family of servers with a minimum may prolong it.
	Lease time.Duration `json:"lease"`
	// Saves names the check that fails without a lock, if the lock only saves work.
	Saves string `json:"saves,omitempty"`
	// Complete: no job may be left undone.
	Complete bool         `json:"complete,omitempty"`
	Rows     []MatrixRow  `json:"rows"`
	Answer   MatrixAnswer `json:"answer"`
}

// MatrixCase is one case: a class of faults, or no fault.
type MatrixCase struct {
	Name  string `json:"name"`
	Class string `json:"class,omitempty"` // letter of the class of faults
	// Must: a strategy has to survive it to be recommended for the need.
	Must bool `json:"must,omitempty"`
}

// MatrixRow holds the results of one use of a strategy for a need.
type MatrixRow struct {
	Label    string `json:"label"`
	Strategy string `json:"strategy"`
	Doc      string `json:"doc,omitempty"`    // what the strategy is, one line
	Family   string `json:"family,omitempty"` // of its servers; "" if it asks none
	Flawed   bool   `json:"flawed,omitempty"`
	// Baseline: the use without a lock that every other one is compared with.
	Baseline bool `json:"baseline,omitempty"`
	// Verdict is CellHolds only if the strategy held under each case that the need must survive.
	Verdict CellState `json:"verdict"`
	Why     string    `json:"why,omitempty"` // the case that decides, and the reason, if it is not CellHolds
	// Weakest is the case with the widest bound, of the cases with faults that the need must survive, and
	// AtMost is that bound, see [MatrixCell.High]. They are set if the strategy holds.
	Weakest string       `json:"weakest,omitempty"`
	AtMost  float64      `json:"at_most,omitempty"`
	Cost    MatrixCost   `json:"cost"`
	Cells   []MatrixCell `json:"cells"` // in the order of the cases
}

// MatrixCost holds the costs of a strategy. Times are in nanoseconds.
type MatrixCost struct {
	// PerJob is the number of requests to all servers for each finished job, without faults; those
	// of the work are among them. 0 if no job was finished.
	PerJob float64 `json:"requests_per_job"`
	// PerAcquisition is the number of requests to the lock's servers for each acquisition, without
	// faults.
	PerAcquisition float64       `json:"requests_per_acquisition"`
	WaitP50        time.Duration `json:"wait_p50"` // without faults
	WaitP99        time.Duration `json:"wait_p99"`
	// Outage is the time that a crash of a worker adds to the time in which workers wait for a lock
	// that no worker uses, for each crash that hit. Nil if no crash hit a section.
	Outage *time.Duration `json:"outage,omitempty"`
	// Finished is the share of the work that was done under the cases with faults that the need must survive.
	Finished float64 `json:"finished"`
}

// MatrixCell holds the runs of one use of a strategy under one case.
type MatrixCell struct {
	Case      string    `json:"case"`
	State     CellState `json:"state"`
	Why       string    `json:"why,omitempty"` // if it neither holds nor fails
	Runs      int       `json:"runs"`
	Violating int       `json:"violating"`
	Unknown   int       `json:"unknown,omitempty"`
	// Low and High are the 95 % Wilson interval of the share of violating runs. If no run is violating,
	// Low is 0 and High the exact one-sided 95 % bound of the Tested runs.
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Hit      int64   `json:"hit"`            // faults that hit a section, a grant or a call
	HitRuns  int     `json:"hit_runs"`       // runs with at least one of them
	More     int     `json:"more,omitempty"` // further runs that it takes to decide, as an estimate; 0: none, or not known
	Jobs     int64   `json:"jobs"`
	Finished int64   `json:"finished"`
	Repeated int64   `json:"repeated,omitempty"` // violations of the check that the need saves work by
	Left     int64   `json:"left,omitempty"`     // jobs that no worker did, and that one left to another
	// Checks has the number of violating runs of each violated check.
	Checks map[string]int `json:"checks,omitempty"`
	Worst  string         `json:"worst,omitempty"`  // the most serious of them that decides, or LeftUndone
	Replay string         `json:"replay,omitempty"` // token of its first run
	// Metrics are of all runs together. They are not stored.
	Metrics checker.Metrics `json:"-"`
}

// EnoughRuns is the smallest number of runs without a violation of which the exact 95 % bound is at
// most 10 %. A strategy holds under a class of faults only if faults of the class hit that number of runs.
const EnoughRuns = 29

// HasRate reports whether a cell has enough runs for its share of failing runs to be shown as a rate.
func (c *MatrixCell) HasRate() bool { return c.Runs >= EnoughRuns }

// Tested returns the number of runs that the bound is of: those that a fault of the class hit, or all of a
// cell without faults.
func (c *MatrixCell) Tested() int {
	if c.Case == NoFault {
		return c.Runs
	}
	return c.HitRuns
}

// LeftUndone is the Worst of a cell whose runs violate no check, but leave jobs undone, see [MatrixCell.Left].
const LeftUndone = "left undone"

// CellState is the outcome of a cell or of a row.
type CellState string

// The states. Only CellHolds is a pass.
const (
	CellHolds   CellState = "holds"
	CellFails   CellState = "fails"
	CellUnknown CellState = "unknown" // too few runs in which a fault hit, or an undecided check
	CellIdle    CellState = "idle"    // hardly any work was finished
)

// MatrixAnswer is the answer to a need.
type MatrixAnswer struct {
	Take    []string `json:"take"`              // labels of the cheapest that hold, one of each family of servers, cheapest first
	Avoid   []string `json:"avoid"`             // labels of the cheapest that fail, cheapest first
	Unknown []string `json:"unknown,omitempty"` // labels of the cheapest that are neither, cheapest first
	// The numbers of strategies, without the baseline.
	Hold      int    `json:"hold"`
	Fail      int    `json:"fail"`
	Undecided int    `json:"undecided"`
	Note      string `json:"note,omitempty"` // what the rows have in common, one sentence
}

// WhyNone says why an answer takes no strategy: all failed, or it is not known yet. It returns "" if the answer takes one.
func (a *MatrixAnswer) WhyNone() string {
	switch {
	case len(a.Take) > 0:
		return ""
	case a.Undecided > 0:
		return fmt.Sprintf("not known yet: %d of %d strategies are undecided", a.Undecided, a.Hold+a.Fail+a.Undecided)
	}
	return "nothing: no strategy held"
}

// MatrixAdvice is a published advice, compared with what was measured.
type MatrixAdvice struct {
	Number   int              `json:"number"`
	Text     string           `json:"text"`
	Verdict  AdviceVerdict    `json:"verdict"`
	Says     string           `json:"says"` // what decides, in one sentence
	Evidence []AdviceEvidence `json:"evidence,omitempty"`
}

// AdviceVerdict is the verdict on a published advice.
type AdviceVerdict string

// The verdicts.
const (
	AdviceConfirmed AdviceVerdict = "confirmed"
	AdviceRefuted   AdviceVerdict = "refuted"
	AdviceOpen      AdviceVerdict = "not decidable here"
)

// AdviceEvidence is one statement that follows from an advice, and what was measured.
type AdviceEvidence struct {
	Claim   string        `json:"claim"`
	Verdict AdviceVerdict `json:"verdict"`
	Figure  string        `json:"figure"`
	Command string        `json:"command,omitempty"` // repeats the runs, without the name of the program
}

// Row returns the row of a label, nil if there is none.
func (n *MatrixNeed) Row(label string) *MatrixRow {
	for i := range n.Rows {
		if n.Rows[i].Label == label {
			return &n.Rows[i]
		}
	}
	return nil
}

// Cell returns the cell of a case, nil if there is none.
func (r *MatrixRow) Cell(name string) *MatrixCell {
	for i := range r.Cells {
		if r.Cells[i].Case == name {
			return &r.Cells[i]
		}
	}
	return nil
}

// Need returns the need of that name, nil if there is none.
func (m *Matrix) Need(name string) *MatrixNeed {
	for i := range m.Needs {
		if m.Needs[i].Name == name {
			return &m.Needs[i]
		}
	}
	return nil
}

// SetInterval sets the interval of the cell from its counts.
func (c *MatrixCell) SetInterval() {
	if c.Violating == 0 {
		c.Low, c.High = 0, c.Bound()
		return
	}
	c.Low, c.High = stats.Wilson(c.Violating, c.Runs)
}

// Bound returns the exact one-sided 95 % bound of the share of violating runs for a check that none
// of the Tested runs violates.
func (c *MatrixCell) Bound() float64 { return stats.AtMost(c.Tested()) }

// ReadMatrix reads a matrix.json, or the one in the directory of a matrix.
func ReadMatrix(path string) (*Matrix, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "matrix.json")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var m Matrix
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errNoResults, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errNoResults, err)
	}
	return &m, nil
}

// check returns an error for a document of another format, or with figures that contradict each other.
func (m *Matrix) check() error {
	switch {
	case m.Schema != schema:
		return fmt.Errorf("the file has schema %d, and this version reads schema %d", m.Schema, schema)
	case m.Scenario != MatrixName:
		return errors.New("the file is no matrix")
	}
	for _, n := range m.Needs {
		for _, r := range n.Rows {
			for _, c := range r.Cells {
				if c.Runs < 0 || c.Runs > MaxSeeds || c.Violating < 0 || c.Unknown < 0 || c.Violating+c.Unknown > c.Runs || c.HitRuns < 0 || c.HitRuns > c.Runs {
					return fmt.Errorf("the figures of %.60q for %s under %s contradict each other", r.Label, n.Name, c.Case)
				}
			}
		}
	}
	return nil
}

// MatrixName identifies a matrix: its field scenario has this value.
const MatrixName = "matrix"
