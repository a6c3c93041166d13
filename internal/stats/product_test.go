package stats

import (
	"math"
	"testing"
)

// The ends are products of intervals that were worked out from sums of Poisson and binomial
// probabilities. Garwood's at 97.5 % of 4 is 0.8801 to 11.2791 and of 2 is 0.1671 to 8.1223; Wilson's
// of 10 of 100 with z = 2.2414 is 0.0508 to 0.1875.
func TestTheRateOfViolationsIsTheProductOfItsSources(t *testing.T) {
	for _, test := range []struct {
		name                    string
		c                       Causes
		rate, low, high, atMost float64
	}{
		{"four causes in 100 h, each tenth violates", Causes{4, 100, 10, 100, 1}, 0.004, 0.88013 / 100 * 0.050787, 11.27912 / 100 * 0.187481, 0},
		{"half of them are harmless", Causes{4, 100, 10, 100, 2}, 0.004, 2 * 0.167106 / 100 * 0.050787, 2 * 8.12226 / 100 * 0.187481, 0},
		// -ln(2.5 %) = 3.689 causes at most, and 1 - 2.5 %^(1/100) = 3.62 % of the runs.
		{"no cause", Causes{0, 100, 10, 100, 1}, 0, 0, -math.Log(0.0125) / 100 * 0.187481, 3.6889 / 100 * 0.176223},
		{"no violation", Causes{4, 100, 0, 100, 1}, 0, 0, 11.27912 / 100 * 0.0478357, 10.2416 / 100 * 0.0362},
		{"every run violates", Causes{0, 100, 100, 100, 1}, 0, 0, -math.Log(0.0125) / 100, 3.6889 / 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.c.PerExposure()
			for _, figure := range []struct {
				name      string
				got, want float64
			}{{"rate", r.Rate, test.rate}, {"low", r.Low, test.low}, {"high", r.High, test.high}, {"at most", r.AtMost, test.atMost}} {
				if math.Abs(figure.got-figure.want) > 0.002*figure.want {
					t.Errorf("%s: %v, want %v", figure.name, figure.got, figure.want)
				}
			}
		})
	}
	if r := (Causes{Seen: 4, Exposure: 100, Dispersion: 1}).PerExposure(); r != nil {
		t.Errorf("without runs the rate is %v, and not unknown", r)
	}
}
