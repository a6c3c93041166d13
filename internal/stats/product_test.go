package stats

import (
	"math"
	"testing"
)

// The intervals of the two sources were worked out from sums of Poisson and binomial probabilities: Garwood's of 4
// is 1.0899 to 10.2416 and of 2 is 0.2422 to 7.2247; Wilson's of 10 of 100 is 0.05523 to 0.17437.
func TestTheRateOfViolationsIsTheProductOfItsSources(t *testing.T) {
	for _, test := range []struct {
		name                    string
		c                       Causes
		rate, low, high, atMost float64
	}{
		// 0.004 exp(-sqrt(ln(1.0899/4)^2 + ln(0.05523/0.1)^2)), and 0.004 exp(sqrt(ln(10.2416/4)^2 + ln(0.17437/0.1)^2))
		{"four causes in 100 h, each tenth violates", Causes{4, 100, 10, 100, 1, 0}, 0.004, 0.000957845, 0.0119240, 0},
		// The same with 2 in the place of 4.
		{"half of them are harmless", Causes{4, 100, 10, 100, 2, 0}, 0.004, 0.000446331, 0.0162132, 0},
		// At most -ln(2.5 %) = 3.6889 causes, and 17.62 % of the runs (Clopper and Pearson).
		{"no cause", Causes{0, 100, 10, 100, 1, 0}, 0, 0, 3.6889 / 100 * 0.176223, 3.6889 / 100 * 0.176223},
		// At most 10.2416 causes, and 1 - 2.5 %^(1/100) of the runs.
		{"no violation", Causes{4, 100, 0, 100, 1, 0}, 0, 0, 10.2416 / 100 * 0.0362167, 10.2416 / 100 * 0.0362167},
		{"no cause, and every run violates", Causes{0, 100, 100, 100, 1, 0}, 0, 0, 3.6889 / 100, 3.6889 / 100},
		// Without runs, each cause may be a violation.
		{"a limit below the bound of the causes", Causes{0, 100, 10, 100, 1, 0.02}, 0, 0, 0.02 * 0.176223, 0.02 * 0.176223},
		{"a limit below the interval of the product", Causes{4, 100, 10, 100, 1, 0.01}, 0.004, 0.000957845, 0.01, 0},
		{"causes without runs", Causes{4, 100, 0, 0, 1, 0}, 0, 0, 10.2416 / 100, 10.2416 / 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.c.PerExposure()
			for _, figure := range []struct {
				name      string
				got, want float64
			}{{"rate", r.Rate, test.rate}, {"low", r.Low, test.low}, {"high", r.High, test.high}, {"at most", r.AtMost, test.atMost}} {
				if math.Abs(figure.got-figure.want) > 1e-4*figure.want {
					t.Errorf("%s: %v, want %v", figure.name, figure.got, figure.want)
				}
			}
		})
	}
	if r := (Causes{Seen: 4, Runs: 10, Dispersion: 1}).PerExposure(); r != nil {
		t.Errorf("without exposure the rate is %v, and not unknown", r)
	}
}
