package draw

import (
	"math"
	"testing"
)

// On the architecture of the tests, package math is accurate to about one unit in the last place,
// 2.2e-16.

func TestExpAgreesWithMath(t *testing.T) {
	for i := -70000; i <= 70000; i++ {
		x := float64(i) * 0.01
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 5e-16*want {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if exp(0) != 1 {
		t.Errorf("exp(0) = %v", exp(0))
	}
}

func TestLogAgreesWithMath(t *testing.T) {
	check := func(x float64) {
		if got, want := log(x), math.Log(x); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Fatalf("log(%v) = %v, want %v", x, got, want)
		}
	}
	for i := -70000; i <= 70000; i++ {
		check(math.Exp(float64(i) * 0.01))
	}
	// Around 1, where the logarithm itself is small.
	for i := 1; i <= 53; i++ {
		check(1 - math.Ldexp(1, -i))
		check(1 + math.Ldexp(1, -i+1))
	}
	check(0x1p-53)
	check(math.Sqrt2 / 2)
	if log(1) != 0 {
		t.Errorf("log(1) = %v", log(1))
	}
}

func TestNormalQuantileInvertsTheDistribution(t *testing.T) {
	check := func(p float64) {
		got := normalQuantile(p)
		// math has no inverse that is exact far from the middle. There the result is converted
		// back: the error of the probability divided by the density.
		off := (math.Erfc(-got/math.Sqrt2)/2 - p) / (math.Exp(-got*got/2) / math.Sqrt(2*math.Pi))
		if p > 0.25 && p < 0.75 {
			off = got - math.Sqrt2*math.Erfinv(2*(p-0.5))
		}
		if math.Abs(off) > 1e-14*math.Abs(got) {
			t.Fatalf("normalQuantile(%v) = %v is off by %v", p, got, off)
		}
		if mirrored := normalQuantile(1 - p); p >= 0x1p-53 && 1-(1-p) == p && mirrored != -got {
			t.Fatalf("normalQuantile(%v) = %v, but %v on the other side", p, got, mirrored)
		}
	}
	for i := 1; i < 100000; i++ {
		check(float64(i) / 100000)
	}
	for i := 1; i <= 53; i++ {
		check(math.Ldexp(1, -i))
	}
	if got := normalQuantile(0.99); math.Abs(got-normal99) > 2e-15 {
		t.Errorf("the 99 %% quantile is %v, normal99 is %v", got, normal99)
	}
}
