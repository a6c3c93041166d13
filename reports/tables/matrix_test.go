package tables

import (
	"bytes"
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// A row with two cells that are not known needs the seeds of the cell that needs more of them.
func TestAnUnknownStrategyNamesTheCaseThatNeedsTheMostSeeds(t *testing.T) {
	m := sample.Matrix()
	n := &m.Needs[0]
	r := n.Row("redis-seldom")
	calm := r.Cell(results.NoFault)
	calm.State, calm.Runs, calm.More, calm.Why = results.CellUnknown, 4, 25, "4 runs, and 29 are needed"
	r.Why = results.NoFault + ": " + calm.Why
	if got, want := MatrixUnknown(n), "redis-seldom, about 50 more seeds (pauses: a fault hit in 24 of 240 runs, and 29 are needed); and 1 other strategy"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// 0 of 80 runs failed, and a fault hit 29 of them: 1 - 0.05^(1/29) is 9.81 %, rounded up.
func TestACellThatHoldsSaysWhatItsBoundIsOf(t *testing.T) {
	c := results.MatrixCell{Case: "pauses", State: results.CellHolds, Runs: 80, Hit: 31, HitRuns: 29, Jobs: 100, Finished: 90}
	c.SetInterval()
	if got, want := MatrixCellSays(&c), "0 of 80 runs failed; a fault hit 29 of them: < 9.9 %; 31 faults hit, finished 90 of 100"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.HitRuns, c.Hit = 0, 0
	c.SetInterval()
	if got, want := MatrixCellSays(&c), "0 of 80 runs failed; a fault hit 0 of them; 0 faults hit, finished 90 of 100"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheFirstFailingCaseOfTheNeedIsNamed(t *testing.T) {
	m := sample.Matrix()
	n := &m.Needs[0]
	r := n.Row("redis")
	*r.Cell(results.NoFault) = results.MatrixCell{Case: results.NoFault, State: results.CellFails, Violating: 1, Runs: 30}
	if got, want := matrixFirst(n, r), "1 of 30 without a fault"; got != want {
		t.Errorf("%q, want %q: 3 of 4 under pauses is no higher rate", got, want)
	}
}

func TestAMatrixInWhichNothingHeldNamesNoStrategyToTake(t *testing.T) {
	m := sample.Matrix()
	for i := range m.Needs {
		m.Needs[i].Answer.Take = nil
	}
	m.Needs[0].Answer.Hold = 0
	var b bytes.Buffer
	if err := Matrix(&b, m, MatrixOptions{AnswerOnly: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"data in one database: take nothing; 0 of 3 strategies held, 1 failed, 2 unknown", "  take  nothing: no strategy held\n"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "2\nunknown", "2 unknown"), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "the lock redis-fenced") {
		t.Errorf("it names a strategy that is not taken:\n%s", b.String())
	}
}

// Runs do not decide a cell with a check that is undecided, so that no command is offered.
func TestTheCommandThatDecidesRunsAsManySeedsAsAreNeeded(t *testing.T) {
	m := sample.Matrix()
	n := &m.Needs[0]
	r := n.Row("redis-seldom")
	if got, want := MatrixMore(m, n, r), "lockquake matrix --need database --strategy redis-seldom --seeds 1-290"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Cell(results.NoFault).State = results.CellUnknown
	if got := MatrixMore(m, n, r); got != "" {
		t.Errorf("%q, and a cell is undecided for another reason", got)
	}
	if got := MatrixMore(m, n, n.Row("redis")); got != "" {
		t.Errorf("%q for a strategy that fails", got)
	}
}
