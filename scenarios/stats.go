package scenarios

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the 95 % Wilson score interval of a rate of which violating
// out of runs were seen. Both ends lie in [0, 1]; of no runs at all nothing
// is known, and the interval is all of it. violating must lie in [0, runs].
//
// Unlike the interval of the textbooks (rate ± 1.96 standard errors), it says
// something where nothing was seen: 0 of 1,000 is a rate of up to 0.38 %.
func Wilson(violating, runs int) (low, high float64) {
	if runs == 0 {
		return 0, 1
	}
	z := distuv.UnitNormal.Quantile(0.975)
	n, p := float64(runs), float64(violating)/float64(runs)
	middle := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return round6(max(0, (middle-spread)/scale)), round6(min(1, (middle+spread)/scale))
}

// round6 cuts what differs between architectures: the last bits of a product
// that one of them fuses with a sum. Six decimals are more than anybody reads.
func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
