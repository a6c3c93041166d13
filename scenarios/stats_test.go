package scenarios

import (
	"math"
	"testing"
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
