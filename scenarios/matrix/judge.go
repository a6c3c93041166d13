package matrix

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// A strategy is idle under a case if the share of its work that it finishes is less than this part of the
// largest share that a strategy finishes. Faults cost work, so more is expected without them.
const (
	idleCalm   = 0.5
	idleFaulty = 0.1
)

// Judge sets the states, the costs and the answers of a matrix from the counts of its cells.
func Judge(m *results.Matrix) {
	for i := range m.Needs {
		judgeNeed(&m.Needs[i])
	}
}

func judgeNeed(n *results.MatrixNeed) {
	for i := range n.Cases {
		best := 0.0
		for j := range n.Rows {
			best = max(best, finished(&n.Rows[j].Cells[i]))
		}
		for j := range n.Rows {
			judgeCell(n, &n.Rows[j].Cells[i], best)
		}
	}
	untested := untestedNeed(n)
	for i := range n.Rows {
		judgeRow(n, &n.Rows[i], untested)
	}
	slices.SortStableFunc(n.Rows, byCost)
	n.Answer = answer(n)
}

// finished returns the share of the work that was finished in a cell.
func finished(c *results.MatrixCell) float64 {
	return float64(c.Finished) / float64(max(1, c.Jobs))
}

// judgeCell sets the state of a cell. Best is the largest share of the work that a strategy finishes
// under the case.
func judgeCell(n *results.MatrixNeed, c *results.MatrixCell, best float64) {
	c.SetInterval()
	least := idleFaulty * best
	if c.Case == results.NoFault {
		least = idleCalm * best
	}
	counts := checker.Metrics{Jobs: c.Jobs, Finished: c.Finished}
	c.State, c.Why, c.More = results.CellHolds, "", 0
	if f := failureOf(c, n.Saves, n.Complete); f != nil {
		c.State, c.Worst, c.Why = results.CellFails, f.worst, f.why
		return
	}
	switch {
	case c.Runs < results.EnoughRuns:
		c.State, c.More, c.Why = results.CellUnknown, more(c), fmt.Sprintf("%d runs, and %d are needed", c.Runs, results.EnoughRuns)
	case c.Unknown > 0:
		c.State, c.Why = results.CellUnknown, fmt.Sprintf("a check is undecided in %d of %d runs", c.Unknown, c.Runs)
	case counts.Untested() != "":
		c.State, c.Why = results.CellIdle, counts.Untested()
	case finished(c) < least:
		c.State, c.Why = results.CellIdle, fmt.Sprintf("finished %.0f %% of its work, and another strategy %.0f %%", 100*finished(c), 100*best)
	case c.Tested() < results.EnoughRuns:
		c.State, c.More, c.Why = results.CellUnknown, more(c), fmt.Sprintf("a fault hit in %d of %d runs, and %d are needed", c.HitRuns, c.Runs, results.EnoughRuns)
	}
}

// failure says why a cell fails: the check or [results.LeftUndone], and a reason if no run violates a check.
type failure struct{ worst, why string }

// failureOf returns nil for a cell that does not fail a need. Saves and complete are those of the need.
func failureOf(c *results.MatrixCell, saves string, complete bool) *failure {
	switch {
	case c.Violating > 0:
		return &failure{c.Worst, ""}
	case saves != "" && c.Case == results.NoFault && c.Checks[saves] > 0:
		return &failure{saves, fmt.Sprintf("%d computations were repeated without a fault, so the lock saves little", c.Repeated)}
	case complete && c.Left > 0:
		return &failure{results.LeftUndone, fmt.Sprintf("%d of %d jobs were left to another worker, and no worker did them", c.Left, c.Jobs)}
	}
	return nil
}

// more estimates how many further runs it takes until a cell has enough in which a fault hits. It
// returns 0 if none of its runs is one.
func more(c *results.MatrixCell) int {
	switch tested := c.Tested(); {
	case tested > 0:
		return ((results.EnoughRuns-tested)*c.Runs + tested - 1) / tested
	case c.Runs == 0:
		return results.EnoughRuns
	}
	return 0
}

// untestedNeed returns the reason why a need tests no strategy, which is that the baseline without a lock passes. It
// returns "" if the baseline fails, has not run, or is not in the matrix.
func untestedNeed(n *results.MatrixNeed) string {
	for i := range n.Rows {
		r := &n.Rows[i]
		if c := r.Cell(results.NoFault); r.Baseline && c != nil && c.Runs > 0 && c.Violating == 0 && (n.Saves == "" || c.Checks[n.Saves] == 0) {
			return "the work does not fail without a lock, so nothing was tested"
		}
	}
	return ""
}

// judgeRow sets the verdict and the costs of a row.
func judgeRow(n *results.MatrixNeed, r *results.MatrixRow, untested string) {
	r.Verdict, r.Why, r.Weakest, r.AtMost = results.CellHolds, "", "", 0
	done, faulty := 0.0, 0
	for i, c := range n.Cases {
		if !c.Must {
			continue
		}
		cell := &r.Cells[i]
		if c.Name != results.NoFault {
			done, faulty = done+finished(cell), faulty+1
			if cell.High > r.AtMost {
				r.Weakest, r.AtMost = c.Name, cell.High
			}
		}
		if rank(cell.State) > rank(r.Verdict) {
			r.Verdict, r.Why = cell.State, c.Name
			if cell.Why != "" {
				r.Why += ": " + cell.Why
			}
		}
	}
	if untested != "" && r.Verdict == results.CellHolds {
		r.Verdict, r.Why = results.CellUnknown, untested
	}
	if r.Verdict != results.CellHolds {
		r.Weakest, r.AtMost = "", 0
	}
	if cell := r.Cell(results.NoFault); cell != nil && cell.Metrics.Runs > 0 {
		var crashed *checker.Metrics
		var hit int64
		if c := r.Cell(crashes); c != nil {
			crashed, hit = &c.Metrics, c.Hit
		}
		r.Cost = results.CostOf(&cell.Metrics, crashed, hit)
	}
	r.Cost.Finished = done / float64(max(1, faulty))
}

// rank orders states: the worst decides a row.
func rank(s results.CellState) int {
	return slices.Index([]results.CellState{results.CellHolds, results.CellUnknown, results.CellIdle, results.CellFails}, s)
}

// byCost orders rows: those that hold first, then those that are not decided, then those that fail;
// within each the cheaper first.
func byCost(a, b results.MatrixRow) int {
	tenths := func(r results.MatrixRow) int { return int(10*r.Cost.PerJob + 0.5) }
	group := func(r results.MatrixRow) int {
		switch {
		case r.Baseline:
			return 4
		case r.Verdict == results.CellHolds && r.Flawed:
			return 1
		}
		return rank(r.Verdict)
	}
	return cmp.Or(
		cmp.Compare(min(group(a), 3), min(group(b), 3)), cmp.Compare(group(a), group(b)),
		cmp.Compare(tenths(a), tenths(b)), cmp.Compare(a.Cost.WaitP99, b.Cost.WaitP99),
	)
}
