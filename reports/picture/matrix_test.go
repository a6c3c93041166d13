package picture

import (
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// A cell without a violation shows how many jobs were left, and not that all runs failed.
func TestACellSaysHowManyJobsWereLeft(t *testing.T) {
	m := sample.Matrix()
	cell := &m.Needs[0].Rows[0].Cells[0]
	cell.State, cell.Worst, cell.Violating, cell.Jobs, cell.Left = results.CellFails, results.LeftUndone, 0, 60, 3
	svg, _, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(svg), ">3 left<") {
		t.Error("the picture does not say that 3 jobs were left")
	}
}
