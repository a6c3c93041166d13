package tables

import (
	"fmt"
	"math"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// MatrixCellNote says how to read the cells, and MatrixCostNote how to read the costs.
const (
	MatrixCellNote = "Cells: a class of faults each, with the failing runs of all runs, or, if none failed, of the runs that a fault of the class hit. At most: the widest 95 % bound of the required classes; " +
		"it is for the mixture of faults of a class. Counts of fewer than 29 runs are not rates. " +
		"A question mark: not known, because a fault hit in fewer than 29 runs, or a check is undecided. " +
		"idle: too little work was finished. In brackets: not required."
	MatrixCostNote = "Costs: requests and waits are without faults. Requests/job counts the requests to all servers, those of the work included; if the data is in the lock's own database, " +
		"lock requests include them too. The outage is the time that a crash adds in which workers wait for a lock that no worker uses. Finished is the share of the work under the required classes of faults. Repeated counts the computations that the lock did not save, without faults."
)

// MatrixGrid returns a row for each strategy and a column for each class of faults.
func MatrixGrid(n *results.MatrixNeed) Grid {
	g := Grid{
		Title: fmt.Sprintf("%s: which classes of faults each strategy survives", n.Title), Texts: 2, Head: []string{"strategy", "verdict", "at most"},
		Note: MatrixCellNote,
	}
	for _, c := range n.Cases {
		head := c.Name
		if !c.Must {
			head = "(" + head + ")"
		}
		g.Head = append(g.Head, head)
	}
	for i := range n.Rows {
		r := &n.Rows[i]
		row := []string{words.Plain(r.Label, 32), MatrixVerdict(r), MatrixBound(r)}
		for j := range r.Cells {
			row = append(row, MatrixCell(&r.Cells[j]))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// MatrixVerdict returns the verdict of a row in one word.
func MatrixVerdict(r *results.MatrixRow) string {
	switch {
	case r.Baseline:
		return "baseline"
	case r.Flawed:
		return string(r.Verdict) + ", flawed"
	}
	return string(r.Verdict)
}

// MatrixBound returns the widest bound of a row that holds.
func MatrixBound(r *results.MatrixRow) string {
	if r.Weakest == "" {
		return "-"
	}
	return ceiling(r.AtMost)
}

// ceiling prints an upper bound of a share of 1 in percent, rounded up to one decimal.
func ceiling(share float64) string { return fmt.Sprintf("%.1f %%", math.Ceil(1000*share)/10) }

// MatrixCell returns the text of a cell.
func MatrixCell(c *results.MatrixCell) string {
	text := fmt.Sprintf("%d/%d", c.Violating, c.Runs)
	if c.Violating == 0 {
		text = fmt.Sprintf("0/%d", c.Tested())
	}
	switch c.State {
	case results.CellHolds:
		return text
	case results.CellFails:
		if c.Violating == 0 {
			return c.Worst
		}
		return text
	case results.CellIdle:
		return "idle"
	case results.CellUnknown:
	}
	return text + "?"
}

// MatrixCostGrid returns a row for each strategy with what it costs.
func MatrixCostGrid(n *results.MatrixNeed) Grid {
	g := Grid{
		Title: fmt.Sprintf("%s: what each strategy costs", n.Title), Texts: 1,
		Head: []string{"strategy", "requests/job", "lock requests / acquisition", "wait p50", "wait p99", "outage of a crash", "finished"},
		Note: MatrixCostNote,
	}
	if n.Saves != "" {
		g.Head = append(g.Head, "repeated")
	}
	for i := range n.Rows {
		r := &n.Rows[i]
		outage := "-"
		if r.Cost.Outage != nil {
			outage = words.Brief(*r.Cost.Outage)
		}
		row := []string{
			words.Plain(r.Label, 32), fmt.Sprintf("%.1f", r.Cost.PerJob), fmt.Sprintf("%.1f", r.Cost.PerAcquisition),
			shortWait(r.Cost.WaitP50), shortWait(r.Cost.WaitP99), outage, words.Percent(r.Cost.Finished),
		}
		if n.Saves != "" {
			row = append(row, repeated(n, r))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// repeated returns the number of computations that were repeated in the case without faults.
func repeated(n *results.MatrixNeed, r *results.MatrixRow) string {
	for i, c := range n.Cases {
		if c.Class == "" {
			return fmt.Sprintf("%d of %d", r.Cells[i].Repeated, r.Cells[i].Finished)
		}
	}
	return "-"
}

// MatrixCellSays returns what a cell found, in one sentence.
func MatrixCellSays(c *results.MatrixCell) string {
	text := fmt.Sprintf("%d of %d runs failed (95 %%: %s)", c.Violating, c.Runs, words.Interval(c.Low, c.High))
	if c.Violating == 0 {
		text = fmt.Sprintf("0 of %d runs failed", c.Runs)
		if c.Case != results.NoFault {
			text += fmt.Sprintf("; a fault hit %d of them", c.HitRuns)
		}
		if c.Tested() > 0 {
			text += ": < " + ceiling(c.High)
		}
	}
	if c.Worst != "" && c.Violating > 0 {
		text += ", first " + c.Worst
	}
	if c.Why != "" {
		text += "; " + c.Why
	}
	return text + fmt.Sprintf("; %d faults hit, finished %d of %d", c.Hit, c.Finished, c.Jobs)
}
