package tables

import (
	"bytes"
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

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
