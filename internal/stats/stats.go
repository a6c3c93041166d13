package stats

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// The level of every interval and test. All are two-sided except AtMost.
const (
	confidence   = 0.95
	significance = 1 - confidence
)

// Rate is the frequency of an event, with its 95 % interval.
type Rate struct {
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// AtMost is the one-sided 95 % bound of the true rate if no event was seen, otherwise 0. It is exact, except
	// that the bound of a product (Causes) holds at 95 % at least.
	AtMost float64 `json:"at_most,omitempty"`
}

// PerRun returns the rate of violating runs, with Wilson's interval. It is nil without runs.
func PerRun(violating, runs int) *Rate {
	if runs == 0 {
		return nil
	}
	r := Rate{Rate: roundShare(float64(violating)/float64(runs), runs)}
	r.Low, r.High = Wilson(violating, runs)
	if violating == 0 {
		r.AtMost = AtMost(runs)
	}
	return &r
}

// PerExposure returns the rate of events for each unit of an exposure (acquisitions, hours), with
// Garwood's interval. It is nil without exposure.
//
// If one fault causes many events at once they come in clusters, and an interval from single events
// would be far too narrow. The dispersion is the number of events in a cluster (see Dispersion; 1
// if events are independent), and the interval is computed from the number of clusters.
func PerExposure(events int64, exposure, dispersion float64) *Rate {
	if exposure <= 0 {
		return nil
	}
	low, high := garwood(float64(events) / dispersion)
	scale := dispersion / exposure
	r := Rate{Rate: SixDigits(float64(events) / exposure), Low: SixDigits(low * scale), High: SixDigits(high * scale)}
	if events == 0 {
		r.AtMost = SixDigits(distuv.Gamma{Alpha: 1, Beta: 1}.Quantile(confidence) / exposure)
	}
	return &r
}

// Wilson returns the 95 % Wilson score interval of a rate of violating out of runs. Both ends are
// in [0, 1]; without runs the interval is [0, 1]. Violating must be in [0, runs].
//
// Unlike the textbook interval (rate ± 1.96 standard errors), it is meaningful if no violation was
// seen: 0 of 1,000 is a rate of up to 0.38 %.
func Wilson(violating, runs int) (low, high float64) {
	if runs == 0 {
		return 0, 1
	}
	z := normalQuantile()
	n, p := float64(runs), float64(violating)/float64(runs)
	middle := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	if violating > 0 {
		low = roundShare(max(0, (middle-spread)/scale), runs)
	}
	return low, roundShare(min(1, (middle+spread)/scale), runs)
}

// WilsonNeeds returns the number of runs with which Wilson's interval reaches at most halfWidth to
// either side, whatever the rate is. It is widest at a rate of a half.
func WilsonNeeds(halfWidth float64) float64 {
	z := normalQuantile()
	return math.Ceil(z * z * (1/(4*halfWidth*halfWidth) - 1))
}

func normalQuantile() float64 { return distuv.UnitNormal.Quantile(1 - significance/2) }

// AtMost returns the 95 % bound of the rate if none of the runs was violating: the exact one-sided
// bound of Clopper and Pearson, 1 without runs. For 1,000 runs it is 0.3 %, three divided by their
// number.
func AtMost(runs int) float64 {
	if runs == 0 {
		return 1
	}
	return SixDigits(distuv.Beta{Alpha: 1, Beta: float64(runs)}.Quantile(confidence))
}

// garwood returns the exact 95 % interval of the mean of a Poisson variable whose value was events.
func garwood(events float64) (low, high float64) {
	if events > 0 {
		low = distuv.ChiSquared{K: 2 * events}.Quantile(significance/2) / 2
	}
	high = distuv.ChiSquared{K: 2*events + 2}.Quantile(1-significance/2) / 2
	return SixDigits(low), SixDigits(high)
}

// Dispersion returns the variance of the number of events in a run divided by its mean: 1 if the
// events are independent, and more if they come in clusters. It is never less than 1. Squares is
// the sum of the squared numbers of events of the runs.
func Dispersion(events int64, squares float64, runs int) float64 {
	if events == 0 || runs < 2 {
		return 1
	}
	n, sum := float64(runs), float64(events)
	variance := (squares - sum*sum/n) / (n - 1)
	return max(1, SixDigits(variance*n/sum))
}

// McNemar returns the exact two-sided p-value of a paired comparison. Of the pairs that differ,
// onlyFirst are violating on the first side and onlySecond on the second; under the null hypothesis
// each is equally likely. It is 1 if no pair differs.
func McNemar(onlyFirst, onlySecond int) float64 {
	coin := distuv.Binomial{N: float64(onlyFirst + onlySecond), P: 0.5}
	return SixDigits(min(1, 2*coin.CDF(float64(min(onlyFirst, onlySecond)))))
}

// Fisher returns the two-sided p-value of Fisher's exact test: the probability that two equal rates
// differ by at least as much. It is 1 if a side has no runs.
func Fisher(violating1, runs1, violating2, runs2 int) float64 {
	violating := violating1 + violating2
	ways := func(of, choose int) float64 { return combin.LogGeneralizedBinomial(float64(of), float64(choose)) }
	all := ways(runs1+runs2, violating)
	chance := func(k int) float64 { return ways(runs1, k) + ways(runs2, violating-k) - all }
	// Tables that are as likely as the observed one count too; the tolerance covers rounding.
	const tie = 1e-7
	seen := chance(violating1) + tie
	// The chances rise to the mode and then fall, so those to add are two tails. A tail of a billion
	// runs has too many terms; beyond negligible they no longer change the sum.
	low, high := max(0, violating-runs2), min(violating, runs1)
	mode := min(max(low, int(float64(violating+1)*float64(runs1+1)/float64(runs1+runs2+2))), high)
	p := 0.0
	tail := func(first, step int) {
		const negligible = 40 // in natural logarithms
		for k := first; k >= low && k <= high && chance(k) > chance(first)-negligible; k += step {
			p += math.Exp(chance(k))
		}
	}
	below := sort.Search(mode-low+1, func(i int) bool { return chance(low+i) > seen }) + low
	tail(below-1, -1)
	tail(sort.Search(high-below+1, func(i int) bool { k := below + i; return k > mode && chance(k) <= seen })+below, 1)
	return SixDigits(min(1, p))
}

// Difference returns the 95 % interval of the second rate minus the first, by Newcombe's method
// with two Wilson intervals.
func Difference(violating1, runs1, violating2, runs2 int) (low, high float64) {
	if runs1 == 0 || runs2 == 0 {
		return -1, 1
	}
	p1, p2 := float64(violating1)/float64(runs1), float64(violating2)/float64(runs2)
	low1, high1 := Wilson(violating1, runs1)
	low2, high2 := Wilson(violating2, runs2)
	return Round6(p2 - p1 - math.Hypot(p2-low2, high1-p1)), Round6(p2 - p1 + math.Hypot(high2-p2, p1-low1))
}

// Significant returns, for each of several p-values, whether it is below 5 % by Holm's rule. The
// rule keeps the probability of any false alarm among all of them at 5 %: the smallest must be
// below 5 % divided by their number, and so on.
func Significant(ps []float64) []bool {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	result := make([]bool, len(ps))
	for rank, i := range order {
		if ps[i] > significance/float64(len(ps)-rank) {
			break
		}
		result[i] = true
	}
	return result
}

// Round6 rounds to six decimals. That removes differences between architectures in the last bits,
// such as those of a fused multiplication.
func Round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// roundShare rounds a share of runs to six decimals. Of more than a million runs it can be nearer to 0
// or 1 than that: then it rounds the distance to six digits.
func roundShare(x float64, runs int) float64 {
	const million = 1_000_000
	switch {
	case runs <= million:
		return Round6(x)
	case x > 0.5:
		return 1 - SixDigits(1-x)
	}
	return SixDigits(x)
}

// SixDigits does the same for a figure of any size: it keeps its first six digits.
func SixDigits(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x // never happens: it parses its own output
	}
	return y
}

// PValue formats a p-value with only its meaningful digits.
func PValue(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case p < 0.1:
		return fmt.Sprintf("p = %.3f", p)
	}
	return fmt.Sprintf("p = %.2f", p)
}
