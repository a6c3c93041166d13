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
	m.Needs[0].Answer.Hold, m.Needs[0].Answer.Undecided, m.Needs[0].Answer.Unknown = 0, 0, nil
	var b bytes.Buffer
	if err := Matrix(&b, m, MatrixOptions{AnswerOnly: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"data in one database: take nothing; 0 of 1 strategy held, 1 failed\n", "  take  nothing: no strategy held\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "the lock redis-fenced") {
		t.Errorf("it names a strategy that is not taken:\n%s", b.String())
	}
}

func TestANeedWithUnknownStrategiesIsNotKnownYet(t *testing.T) {
	m := sample.Matrix()
	a := &m.Needs[0].Answer
	a.Take, a.Avoid, a.Hold, a.Fail = nil, nil, 0, 0
	var b bytes.Buffer
	if err := Matrix(&b, m, MatrixOptions{AnswerOnly: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"data in one database: not known yet: 2 of 2 strategies are undecided, 0 held, 0 failed\n",
		"  take  not known yet: 2 of 2 strategies are undecided\n  avoid nothing so far: no strategy has failed\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}

// With fewer than 29 seeds, or if the matrix was stopped, no strategy can hold.
func TestTheCommandThatDecidesANeedRunsTheUsualSeedsIfTooFewWereRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*results.Matrix, *results.MatrixNeed)
		want   string
	}{
		{"the usual seeds", func(*results.Matrix, *results.MatrixNeed) {}, "lockquake matrix --need database --strategy redis-seldom --seeds 1-290"},
		{"28 seeds", func(m *results.Matrix, _ *results.MatrixNeed) { m.Seeds.Last = 28 }, "lockquake matrix --need database --strategy redis-late,redis-seldom"},
		{"stopped", func(m *results.Matrix, _ *results.MatrixNeed) { m.Partial = true }, "lockquake matrix --need database --strategy redis-late,redis-seldom"},
		{"too many to name", func(m *results.Matrix, n *results.MatrixNeed) { m.Partial, n.Answer.Undecided = true, 40 }, "lockquake matrix --need database"},
		{"with flawed ones", func(m *results.Matrix, n *results.MatrixNeed) {
			m.Partial, n.Answer.Undecided, n.Row("redis-seldom").Flawed = true, 40, true
		}, "lockquake matrix --need database --flawed"},
		{"all decided", func(m *results.Matrix, n *results.MatrixNeed) { m.Partial, n.Answer.Unknown = true, nil }, ""},
	} {
		m := sample.Matrix()
		tt.change(m, &m.Needs[0])
		if got := MatrixDecides(m, &m.Needs[0]); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
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
