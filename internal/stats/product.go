package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Causes is how often a cause of violations was seen, and how often one cause leads to a violation.
type Causes struct {
	// Seen causes during Exposure, in any unit.
	Seen     int
	Exposure float64
	// Violating of the Runs, each with one cause.
	Violating, Runs int
	// Dispersion is the mean of the squared probabilities of a violation, of all causes that were seen, divided by the
	// square of their mean: 1 if each cause does the same harm, 2 if half of them are harmless.
	Dispersion float64
	// Limit is the largest rate of causes that is possible, for each unit of exposure; 0: there is none. It bounds Most
	// and High.
	Limit float64
}

// PerExposure returns the rate of violations for each unit of exposure: the rate of the causes times
// the share of violating runs. It is nil without exposure.
//
// Two sources make it uncertain, and the interval has both: the 95 % intervals of Garwood for the causes and of
// Wilson for the share. On a logarithmic scale their distances from the rate are legs of a right triangle, and that of
// the product is the hypotenuse, since the sources are independent (Donner and Zou's recovery of variances,
// Statistical Methods in Medical Research 21, 2012). With a Dispersion d the causes count as Seen/d causes that do
// the same harm, since a few causes do most of it. If no cause or no violation was seen, AtMost and High
// are the product of the two bounds of Most.
func (c Causes) PerExposure() *Rate {
	if c.Exposure <= 0 {
		return nil
	}
	if c.Seen == 0 || c.Violating == 0 {
		causes, share := c.Most()
		most := SixDigits(causes * share)
		return &Rate{High: most, AtMost: most}
	}
	seen, share := float64(c.Seen)/c.Dispersion, float64(c.Violating)/float64(c.Runs)
	rate := float64(c.Seen) / c.Exposure * share
	low, high := garwood(seen)
	shareLow, shareHigh := Wilson(c.Violating, c.Runs)
	below := math.Hypot(math.Log(low/seen), math.Log(shareLow/share))
	above := math.Hypot(math.Log(high/seen), math.Log(shareHigh/share))
	return &Rate{Rate: SixDigits(rate), Low: SixDigits(rate * math.Exp(-below)), High: SixDigits(c.limited(rate * math.Exp(above)))}
}

// Most returns the one-sided upper bounds of the rate of the causes, for each unit of exposure, and of the share of
// violating runs (that of Clopper and Pearson; 1 without runs). Each holds at 97.5 %, so that their product holds at
// 95 % at least. The exposure must be positive.
func (c Causes) Most() (causes, share float64) {
	causes, share = distuv.Gamma{Alpha: float64(c.Seen) + 1, Beta: 1}.Quantile(1-significance/2)/c.Exposure, 1
	if c.Violating < c.Runs {
		share = distuv.Beta{Alpha: float64(c.Violating) + 1, Beta: float64(c.Runs - c.Violating)}.Quantile(1 - significance/2)
	}
	return SixDigits(c.limited(causes)), SixDigits(share)
}

// limited returns a rate, or the largest that is possible.
func (c Causes) limited(rate float64) float64 {
	if c.Limit > 0 {
		return min(rate, c.Limit)
	}
	return rate
}
