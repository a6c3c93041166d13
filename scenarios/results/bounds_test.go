package results

import (
	"testing"
	"time"
)

func TestABoundIsAnOperatorAFigureAndAUnit(t *testing.T) {
	for _, test := range []struct {
		text string
		want Bound
	}{
		{">= 95 %", Bound{Op: ">=", X: 0.95, Unit: UnitPercent}},
		{">=95%", Bound{Op: ">=", X: 0.95, Unit: UnitPercent}},
		{"<= 5s", Bound{Op: "<=", X: float64(5 * time.Second), Unit: UnitTime}},
		{"< 1m30s", Bound{Op: "<", X: float64(90 * time.Second), Unit: UnitTime}},
		{"0", Bound{Op: "="}},
		{"> 2.5", Bound{Op: ">", X: 2.5}},
	} {
		got, err := ParseBound(test.text)
		if got.text = ""; err != nil || got != test.want {
			t.Errorf("%q is read as %+v (%v), want %+v", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"", "95 percent", "=> 5", ">= 101 %", "<= 5 s", "<= -1", "many", "5s %"} {
		if b, err := ParseBound(text); err == nil {
			t.Errorf("%q is read as %+v", text, b)
		}
	}
}
