package matrix

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

// cell returns a cell of 40 runs, of which faults hit 30, and that finished 90 of 100 jobs, with a change.
func cell(name string, change func(c *results.MatrixCell)) results.MatrixCell {
	c := results.MatrixCell{Case: name, Runs: 40, Hit: 50, HitRuns: 30, Jobs: 100, Finished: 90}
	if name == results.NoFault {
		c.Hit, c.HitRuns = 0, 0
	}
	if change != nil {
		change(&c)
	}
	return c
}

// matrixOf returns a matrix of one need with 40 seeds, a baseline that fails, and a row with these cells
// without faults and under pauses.
func matrixOf(calm, paused func(c *results.MatrixCell)) *results.Matrix {
	fails := func(c *results.MatrixCell) { c.Violating = 40 }
	row := func(label string, calm, paused func(c *results.MatrixCell)) results.MatrixRow {
		return results.MatrixRow{
			Label: label, Strategy: label, Baseline: label == baseline,
			Cells: []results.MatrixCell{cell(results.NoFault, calm), cell("pauses", paused), cell("clocks", fails)},
		}
	}
	return &results.Matrix{
		Schema: 1, Scenario: results.MatrixName, Seeds: results.SeedRange{First: 1, Last: 40},
		Needs: []results.MatrixNeed{{
			Name: "database", Cases: []results.MatrixCase{{Name: results.NoFault, Must: true}, {Name: "pauses", Class: "P", Must: true}, {Name: "clocks", Class: "K"}},
			Rows: []results.MatrixRow{row(baseline, fails, fails), row("tested", calm, paused), row("other", nil, nil)},
		}},
	}
}

func TestOnlyAStrategyThatSurvivesAndDoesItsWorkHolds(t *testing.T) {
	tests := []struct {
		name         string
		calm, paused func(c *results.MatrixCell)
		want         results.CellState
		why          string
	}{
		{"survives", nil, nil, results.CellHolds, ""},
		{"fails under a fault", nil, func(c *results.MatrixCell) { c.Violating = 1 }, results.CellFails, "pauses"},
		{"fails without a fault", func(c *results.MatrixCell) { c.Violating = 1 }, nil, results.CellFails, "no-fault"},
		{"has 29 runs that a fault hit", nil, func(c *results.MatrixCell) { c.HitRuns = 29 }, results.CellHolds, ""},
		{"has 28 runs that a fault hit", nil, func(c *results.MatrixCell) { c.HitRuns = 28 }, results.CellUnknown, "pauses: a fault hit in 28 of 40 runs, and 29 are needed"},
		{"has too few runs", nil, func(c *results.MatrixCell) { c.Runs, c.HitRuns = 9, 9 }, results.CellUnknown, "pauses: 9 runs, and 29 are needed"},
		{"has too few runs without a fault", func(c *results.MatrixCell) { c.Runs = 28 }, nil, results.CellUnknown, "no-fault: 28 runs, and 29 are needed"},
		{"was not run", nil, func(c *results.MatrixCell) { *c = results.MatrixCell{Case: c.Case} }, results.CellUnknown, "pauses: 0 runs, and 29 are needed"},
		{"has an undecided check", nil, func(c *results.MatrixCell) { c.Unknown = 1 }, results.CellUnknown, "pauses: a check is undecided in 1 of 40 runs"},
		{"was hit by no fault", nil, func(c *results.MatrixCell) { c.HitRuns = 0 }, results.CellUnknown, "pauses: a fault hit in 0 of 40 runs, and 29 are needed"},
		{"finished nothing", nil, func(c *results.MatrixCell) { c.Finished = 0 }, results.CellIdle, "pauses: finished 0 of 100, so nothing was tested"},
		{"finished less than half of the others without a fault", func(c *results.MatrixCell) { c.Finished = 44 }, nil, results.CellIdle, "no-fault: finished 44 % of its work, and another strategy 90 %"},
		{"finished less than a tenth of the others under a fault", nil, func(c *results.MatrixCell) { c.Finished = 8 }, results.CellIdle, "pauses: finished 8 % of its work, and another strategy 90 %"},
		{"finished a tenth of its work under a fault", nil, func(c *results.MatrixCell) { c.Finished = 10 }, results.CellHolds, ""},
		{"fails and is not known", func(c *results.MatrixCell) { c.Runs = 1 }, func(c *results.MatrixCell) { c.Violating = 1 }, results.CellFails, "pauses"},
	}
	for _, tt := range tests {
		m := matrixOf(tt.calm, tt.paused)
		Judge(m)
		row := m.Needs[0].Row("tested")
		if row.Verdict != tt.want || row.Why != tt.why {
			t.Errorf("a strategy that %s: %s (%q), want %s (%q)", tt.name, row.Verdict, row.Why, tt.want, tt.why)
		}
		takes := m.Needs[0].Answer.Take
		if taken := cmp.Equal(takes, []string{"tested", "other"}); taken != (tt.want == results.CellHolds) {
			t.Errorf("a strategy that %s: the answer takes %v", tt.name, takes)
		}
	}
}

func TestANeedThatDoesNotFailWithoutALockTestsNothing(t *testing.T) {
	m := matrixOf(nil, nil)
	m.Needs[0].Row(baseline).Cell(results.NoFault).Violating = 0
	Judge(m)
	for _, label := range []string{"tested", "other"} {
		if row := m.Needs[0].Row(label); row.Verdict != results.CellUnknown {
			t.Errorf("%s: %s (%s), want unknown", label, row.Verdict, row.Why)
		}
	}
	if got := m.Needs[0].Answer.Take; len(got) > 0 {
		t.Errorf("the answer takes %v", got)
	}
}

func TestALockThatSavesNothingFails(t *testing.T) {
	m := matrixOf(func(c *results.MatrixCell) { c.Checks, c.Repeated = map[string]int{"stampede": 3}, 4 }, nil)
	m.Needs[0].Saves = "stampede"
	m.Needs[0].Row(baseline).Cell(results.NoFault).Violating = 0
	m.Needs[0].Row(baseline).Cell(results.NoFault).Checks = map[string]int{"stampede": 10}
	Judge(m)
	row := m.Needs[0].Row("tested")
	if want := "no-fault: 4 computations were repeated without a fault, so the lock saves little"; row.Verdict != results.CellFails || row.Why != want {
		t.Errorf("%s (%q), want fails (%q)", row.Verdict, row.Why, want)
	}
	if row := m.Needs[0].Row("other"); row.Verdict != results.CellHolds {
		t.Errorf("other: %s (%s), want holds", row.Verdict, row.Why)
	}
}

// A strategy that leaves the job of a crashed worker undone fails a need that asks for each job.
func TestAStrategyThatLeavesJobsUndoneFailsANeedOfAllJobs(t *testing.T) {
	for _, test := range []struct {
		complete bool
		want     results.CellState
		why      string
	}{
		{true, results.CellFails, "pauses: 2 of 100 jobs were left to another worker, and no worker did them"},
		{false, results.CellHolds, ""},
	} {
		m := matrixOf(nil, func(c *results.MatrixCell) { c.Left = 2 })
		m.Needs[0].Complete = test.complete
		Judge(m)
		row := m.Needs[0].Row("tested")
		if row.Verdict != test.want || row.Why != test.why {
			t.Errorf("complete %v: %s (%q), want %s (%q)", test.complete, row.Verdict, row.Why, test.want, test.why)
		}
	}
}

// 1 - 0.05^(1/29) is 9.81 %, and 1 - 0.05^(1/28) is 10.15 %.
func TestEnoughRunsBoundTheRateAtTenPercent(t *testing.T) {
	enough, fewer := results.MatrixCell{HitRuns: results.EnoughRuns}, results.MatrixCell{HitRuns: results.EnoughRuns - 1}
	if enough.Bound() > 0.1 || fewer.Bound() <= 0.1 {
		t.Errorf("%d runs bound the rate at %v, and one less at %v", results.EnoughRuns, enough.Bound(), fewer.Bound())
	}
}

// The runs of unlike faults are not added up: a fault that hit seldom is as uncertain as without the
// others. 1 - 0.05^(1/30) is 9.50 %, and 1 - 0.05^(1/40) is 7.22 %.
func TestTheBoundOfAStrategyIsThatOfItsWeakestCell(t *testing.T) {
	m := matrixOf(nil, nil)
	Judge(m)
	row := m.Needs[0].Row("tested")
	if row.Weakest != "pauses" || row.AtMost < 0.0950 || row.AtMost > 0.0951 {
		t.Errorf("under %s at most %v, want 9.50 %% under pauses", row.Weakest, row.AtMost)
	}
	if c := row.Cell(results.NoFault); c.Low != 0 || c.High < 0.0721 || c.High > 0.0722 {
		t.Errorf("without faults %v to %v, want at most 7.22 %%", c.Low, c.High)
	}
	// The case without faults is no fault, however few its runs are, and 0.9 of the work is done under pauses.
	m = matrixOf(func(c *results.MatrixCell) { c.Runs, c.Finished = 29, 60 }, nil)
	Judge(m)
	if row := m.Needs[0].Row("tested"); row.Weakest != "pauses" || row.AtMost > 0.0951 || row.Cost.Finished != 0.9 {
		t.Errorf("under %s at most %v, finished %v, want 9.50 %% under pauses, and 0.9", row.Weakest, row.AtMost, row.Cost.Finished)
	}
	m = matrixOf(nil, func(c *results.MatrixCell) { c.Violating = 3 })
	Judge(m)
	if row := m.Needs[0].Row("tested"); row.Weakest != "" || row.AtMost != 0 {
		t.Errorf("a strategy that fails has the bound %v", row.AtMost)
	}
	// Wilson's interval of 3 of 40 is 2.58 to 19.86 %.
	if c := m.Needs[0].Row("tested").Cell("pauses"); c.Low < 0.0258 || c.Low > 0.0259 || c.High < 0.1986 || c.High > 0.1987 {
		t.Errorf("3 of 40 runs are %v to %v", c.Low, c.High)
	}
}

func TestAnUnknownCellSaysHowManyRunsItTakes(t *testing.T) {
	for _, test := range []struct{ runs, hit, more int }{
		{40, 20, 18}, // 9 more, and a fault hits in each second run
		{0, 0, 29},
		{4, 4, 25},
		{30, 7, 95}, // 22 more, of which 7 come in 30 runs: 94.3
		{40, 0, 0},
		{40, 29, 0},
	} {
		m := matrixOf(nil, func(c *results.MatrixCell) { c.Runs, c.HitRuns = test.runs, test.hit })
		Judge(m)
		if c := m.Needs[0].Row("tested").Cell("pauses"); c.More != test.more {
			t.Errorf("%d of %d runs: %d more, want %d", test.hit, test.runs, c.More, test.more)
		}
	}
}

func TestAnAnswerTakesOneStrategyOfEachFamilyOfServers(t *testing.T) {
	m := matrixOf(nil, nil)
	n := &m.Needs[0]
	for i, family := range []string{"", "redis", "redis"} {
		n.Rows[i].Family, n.Rows[i].Cost.PerJob = family, float64(i)
	}
	for i, label := range []string{"key", "version"} {
		n.Rows = append(n.Rows, results.MatrixRow{Label: label, Strategy: label, Cost: results.MatrixCost{PerJob: float64(3 + i)}, Cells: []results.MatrixCell{cell(results.NoFault, nil), cell("pauses", nil), cell("clocks", nil)}})
	}
	Judge(m)
	if want := []string{"tested", "key", "version"}; !cmp.Equal(n.Answer.Take, want) {
		t.Errorf("take %v, want %v: other is on the same servers, and the last two ask none", n.Answer.Take, want)
	}
}

func TestTheCheaperStrategyComesFirst(t *testing.T) {
	m := matrixOf(nil, nil)
	n := &m.Needs[0]
	n.Row("tested").Cost.PerJob, n.Row("other").Cost.PerJob = 5, 4
	n.Rows = append(n.Rows, results.MatrixRow{Label: "flawed", Flawed: true, Cells: []results.MatrixCell{cell(results.NoFault, nil), cell("pauses", nil), cell("clocks", nil)}})
	Judge(m)
	var order []string
	for _, r := range n.Rows {
		order = append(order, r.Label)
	}
	if want := []string{"other", "tested", "flawed", "none"}; !cmp.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if want := []string{"other", "tested"}; !cmp.Equal(n.Answer.Take, want) {
		t.Errorf("take %v, want %v: a flawed strategy is not recommended", n.Answer.Take, want)
	}
}
