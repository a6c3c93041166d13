package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/combin"
)

// TestWilsonMatchesLiterature compares with Newcombe, Statistics in Medicine
// 17 (1998), table I, method 3 (four decimals), and with closed forms.
func TestWilsonMatchesLiterature(t *testing.T) {
	tests := []struct {
		violating, runs int
		low, high       float64
		within          float64
	}{
		{81, 263, 0.2553, 0.3662, 5e-5},
		{15, 148, 0.0624, 0.1605, 5e-5},
		{0, 20, 0, 0.1611, 5e-5},
		{1, 29, 0.0061, 0.1718, 5e-5},
		{0, 10, 0, 0.277533, 0},        // z²/(n+z²)
		{10, 10, 0.722467, 1, 0},       // its mirror
		{5, 10, 0.236593, 0.763407, 0}, // 1/2 ± z/(2·sqrt(n+z²))
		{412, 1000, 0.3819, 0.4428, 5e-5},
		{0, 0, 0, 1, 0},
		{0, 1, 0, 0.793451, 0},
		// Of a billion runs, n + z² is n: (v + z²/2 ± z·sqrt(v + z²/4)) / n.
		{12, 1_000_000_000, 6.86476e-9, 2.09767e-8, 1e-13},
		{999_999_988, 1_000_000_000, 1 - 2.09767e-8, 1 - 6.86476e-9, 1e-13},
		{0, 1_000_000_000, 0, 3.84146e-9, 1e-13},
	}
	for _, tt := range tests {
		low, high := Wilson(tt.violating, tt.runs)
		if math.Abs(low-tt.low) > tt.within || math.Abs(high-tt.high) > tt.within {
			t.Errorf("Wilson(%d, %d) = %v, %v; want %v, %v", tt.violating, tt.runs, low, high, tt.low, tt.high)
		}
	}
}

// TestWilsonIsAnInterval holds it to what must be true of every rate.
func TestWilsonIsAnInterval(t *testing.T) {
	for runs := 1; runs <= 200; runs++ {
		for violating := 0; violating <= runs; violating++ {
			low, high := Wilson(violating, runs)
			rate := float64(violating) / float64(runs)
			if low < 0 || high > 1 || low > rate+1e-6 || high < rate-1e-6 || low >= high {
				t.Fatalf("Wilson(%d, %d) = %v, %v does not enclose %v", violating, runs, low, high, rate)
			}
			mirrorLow, mirrorHigh := Wilson(runs-violating, runs)
			if math.Abs(mirrorLow-(1-high)) > 2e-6 || math.Abs(mirrorHigh-(1-low)) > 2e-6 {
				t.Fatalf("Wilson(%d, %d) and its mirror do not add up to 1", violating, runs)
			}
		}
	}
}

// near reports whether two figures agree to that many digits after the first.
func near(got, want, within float64) bool {
	return math.Abs(got-want) <= within*max(1e-9, math.Abs(want))
}

// Garwood's interval is in every table of the Poisson distribution; of no
// event its upper end is ln 40.
func TestGarwoodMatchesTables(t *testing.T) {
	tests := []struct {
		events    float64
		low, high float64
	}{
		{0, 0, 3.68888},
		{1, 0.0253178, 5.57164},
		{3, 0.618672, 8.76727},
		{10, 4.79539, 18.3904},
		{100, 81.3640, 121.627},
	}
	for _, tt := range tests {
		low, high := garwood(tt.events)
		if !near(low, tt.low, 1e-5) || !near(high, tt.high, 1e-5) {
			t.Errorf("garwood(%v) = %v, %v; want %v, %v", tt.events, low, high, tt.low, tt.high)
		}
	}
}

func TestRates(t *testing.T) {
	tests := []struct {
		name string
		got  *Rate
		want Rate
	}{
		{"10 events in 2 hours", PerExposure(10, 2, 1), Rate{Rate: 5, Low: 2.39769, High: 9.19518}},
		{"no event in 4 hours: at most ln(20) / 4", PerExposure(0, 4, 1), Rate{High: 0.92222, AtMost: 0.748933}},
		{"12 events in 2 hours, all in one cluster", PerExposure(12, 2, 12), Rate{Rate: 6, Low: 6 * 0.0253178, High: 6 * 5.57164}},
		{"no run of 10: at most 1 - 0.05^(1/10)", PerRun(0, 10), Rate{High: 0.277533, AtMost: 0.258866}},
		{"5 of 10", PerRun(5, 10), Rate{Rate: 0.5, Low: 0.236593, High: 0.763407}},
	}
	for _, tt := range tests {
		g, w := tt.got, tt.want
		if !near(g.Rate, w.Rate, 1e-5) || !near(g.Low, w.Low, 1e-5) || !near(g.High, w.High, 1e-5) || !near(g.AtMost, w.AtMost, 1e-5) {
			t.Errorf("%s: %+v, want %+v", tt.name, *g, w)
		}
	}
	if PerRun(0, 0) != nil || PerExposure(3, 0, 1) != nil {
		t.Error("there is a rate of nothing")
	}
}

// By hand: of four runs with 0, 0, 0 and 12 events the mean is 3 and the variance
// (27 + 81) / 3.
func TestDispersion(t *testing.T) {
	for _, tt := range []struct {
		name    string
		events  int64
		squares float64
		runs    int
		want    float64
	}{
		{"all in one of four", 12, 144, 4, 12},
		{"3 in each of four", 12, 36, 4, 1},
		{"nothing", 0, 0, 4, 1},
		{"one run", 12, 144, 1, 1},
	} {
		if got := Dispersion(tt.events, tt.squares, tt.runs); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Of no violation among n runs the exact bound is 1 - 0.05^(1/n).
func TestAtMost(t *testing.T) {
	for _, tt := range []struct {
		runs int
		want float64
	}{{0, 1}, {1, 0.95}, {2, 0.776393}, {20, 0.139108}, {1000, 0.00299125}, {1_000_000, 2.99573e-6}} {
		if got := AtMost(tt.runs); !near(got, tt.want, 1e-5) {
			t.Errorf("AtMost(%d) = %v, want %v", tt.runs, got, tt.want)
		}
	}
}

// By hand: of n coins, twice the chance of so few heads.
func TestMcNemar(t *testing.T) {
	for _, tt := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1},
		{0, 1, 1},
		{5, 5, 1},
		{0, 5, 2.0 / 32},
		{5, 0, 2.0 / 32},
		{0, 6, 2.0 / 64},
		{1, 7, 2 * 9.0 / 256},    // 1 + 8
		{2, 8, 2 * 56.0 / 1024},  // 1 + 10 + 45
		{3, 9, 2 * 299.0 / 4096}, // 1 + 12 + 66 + 220
		{0, 5000, 0},
	} {
		if got := McNemar(tt.first, tt.second); !near(got, tt.want, 1e-5) {
			t.Errorf("mcNemar(%d, %d) = %v, want %v", tt.first, tt.second, got, tt.want)
		}
	}
}

// By hand: the lady tasting tea has 70 ways to choose 4 of 8 cups, 1 of them
// all right and 16 with one pair swapped.
func TestFisher(t *testing.T) {
	for _, tt := range []struct {
		violating1, runs1, violating2, runs2 int
		want                                 float64
	}{
		{3, 4, 1, 4, 34.0 / 70},
		{4, 4, 0, 4, 2.0 / 70},
		{2, 4, 2, 4, 1},
		{0, 10, 0, 20, 1},
		{10, 10, 20, 20, 1},
		{0, 0, 3, 5, 1},
		{1, 10, 9, 10, 202.0 / 184756}, // 2 · (1 + 10·10) of 20 over 10
		// With this number of runs it is a fair coin for each event: 2·(1 + 12 + 66)/4096.
		{2, 1_000_000_000, 10, 1_000_000_000, 158.0 / 4096},
		// And of many events a normal variable at 2 standard deviations, with half an event to either side.
		{300_000_000, 1_000_000_000, 300_040_988, 1_000_000_000, 0.0455087},
		{0, 5, 3, 10, 230.0 / 455}, // 15 over 3 ways: 120 with none of the 5, 225 with one, 100 with two, 10 with three
	} {
		if got := Fisher(tt.violating1, tt.runs1, tt.violating2, tt.runs2); !near(got, tt.want, 1e-5) {
			t.Errorf("Fisher(%d of %d, %d of %d) = %v, want %v", tt.violating1, tt.runs1, tt.violating2, tt.runs2, got, tt.want)
		}
	}
}

// Each table is counted by the ways in which its runs can be chosen.
func TestFisherAddsEveryTableThatIsAsUnlikely(t *testing.T) {
	const most = 9
	for runs1 := range most {
		for runs2 := range most {
			for one := range runs1 + 1 {
				for two := range runs2 + 1 {
					ways := func(k int) int { return combin.Binomial(runs1, k) * combin.Binomial(runs2, one+two-k) }
					all, unlikely := 0, 0
					for k := max(0, one+two-runs2); k <= min(one+two, runs1); k++ {
						all += ways(k)
						if ways(k) <= ways(one) {
							unlikely += ways(k)
						}
					}
					if got, want := Fisher(one, runs1, two, runs2), float64(unlikely)/float64(all); !near(got, want, 1e-5) {
						t.Errorf("Fisher(%d of %d, %d of %d) = %v, want %v", one, runs1, two, runs2, got, want)
					}
				}
			}
		}
	}
}

// From Newcombe, Statistics in Medicine 17 (1998) 873, table II, method 10.
func TestDifferenceMatchesLiterature(t *testing.T) {
	for _, tt := range []struct {
		violating1, runs1, violating2, runs2 int
		low, high                            float64
	}{
		{48, 80, 56, 70, 0.0524, 0.3339},
		{3, 10, 9, 10, 0.1705, 0.8090},
		{0, 0, 1, 10, -1, 1},
	} {
		low, high := Difference(tt.violating1, tt.runs1, tt.violating2, tt.runs2)
		if math.Abs(low-tt.low) > 5e-5 || math.Abs(high-tt.high) > 5e-5 {
			t.Errorf("Difference(%d of %d, %d of %d) = %v, %v; want %v, %v", tt.violating1, tt.runs1, tt.violating2, tt.runs2, low, high, tt.low, tt.high)
		}
	}
}

// Holm: of four, the smallest against 1.25 %, the next against 1.67 %, and none
// after the first that fails.
func TestSignificantByHolm(t *testing.T) {
	for _, tt := range []struct {
		ps   []float64
		want []bool
	}{
		{nil, []bool{}},
		{[]float64{0.04}, []bool{true}},
		{[]float64{0.04, 0.03}, []bool{false, false}},
		{[]float64{0.04, 0.02}, []bool{true, true}},
		{[]float64{0.03, 0.012, 0.016, 0.9}, []bool{false, true, true, false}},
		{[]float64{0.013, 0.013, 0.013, 0.013}, []bool{false, false, false, false}},
	} {
		if diff := cmp.Diff(tt.want, Significant(tt.ps)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.ps, diff)
		}
	}
}

// The widest interval is that of a half: that number of runs, and one less is too few.
func TestWilsonNeeds(t *testing.T) {
	for _, halfWidth := range []float64{0.2, 0.1, 0.05, 0.01} {
		n := int(WilsonNeeds(halfWidth))
		n += n % 2
		low, high := Wilson(n/2, n)
		if (high-low)/2 > halfWidth+1e-6 {
			t.Errorf("%d runs make ± %v, not ± %v", n, (high-low)/2, halfWidth)
		}
		if low, high = Wilson(n/2-1, n-2); (high-low)/2 <= halfWidth {
			t.Errorf("%d runs are enough for ± %v", n-2, halfWidth)
		}
	}
}
