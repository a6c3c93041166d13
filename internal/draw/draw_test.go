package draw

import (
	"math"
	"math/bits"
	"testing"
)

// drawn is the number of draws in the tests of randomness. Their seeds are fixed, so their results
// never change.
const drawn = 1 << 14

func TestDrawsDependOnNothingButTheirPlace(t *testing.T) {
	hold := New(7).Stream("hold", "worker-1")
	var want [10]uint64
	for i := range want {
		d := hold.At(uint64(i))
		want[i] = d.Uint64()
	}

	// The same ordinals backwards, with other streams, other ordinals, a Rand
	// and further numbers of each draw in between.
	source := New(7)
	for i := len(want) - 1; i >= 0; i-- {
		other := source.Stream("latency", "worker-1").At(uint64(i))
		other.Float64()
		again := source.Stream("hold", "worker-1")
		again.Rand().Uint64()
		d := again.At(uint64(i))
		got := d.Uint64()
		if got != want[i] {
			t.Errorf("draw %d is %x, was %x before", i, got, want[i])
		}
		if d.Uint64() == got {
			t.Errorf("draw %d did not move on", i)
		}
	}
}

func TestEveryPartOfThePlaceCounts(t *testing.T) {
	places := []struct {
		name           string
		seed           uint64
		stream, entity string
		ordinal        uint64
	}{
		{"base", 1, "hold", "worker-1", 0},
		{"seed", 2, "hold", "worker-1", 0},
		{"stream", 1, "think", "worker-1", 0},
		{"entity", 1, "hold", "worker-2", 0},
		{"ordinal", 1, "hold", "worker-1", 1},
		{"names swapped", 1, "worker-1", "hold", 0},
		{"border of the names moved", 1, "holdw", "orker-1", 0},
		{"seed and ordinal swapped", 0, "hold", "worker-1", 1},
		{"no names", 1, "", "", 0},
		{"all zero", 0, "", "", 0},
	}
	seen := map[uint64]string{0: "nothing at all"}
	for _, p := range places {
		d := New(p.seed).Stream(p.stream, p.entity).At(p.ordinal)
		x := d.Uint64()
		if other, found := seen[x]; found {
			t.Errorf("%s draws the same as %s", p.name, other)
		}
		seen[x] = p.name
	}
}

// TestBitsAreBalanced counts ones in each of the 64 bits over many draws that
// differ as little as possible, and over the difference between neighbours.
func TestBitsAreBalanced(t *testing.T) {
	first := func(d Draw) uint64 { return d.Uint64() }
	stream := New(1).Stream("hold", "worker-1")
	inARow := stream.At(0)
	random := stream.Rand()
	tests := []struct {
		name string
		at   func(i uint64) uint64
	}{
		{"ordinals", func(i uint64) uint64 { return first(stream.At(i)) }},
		{"seeds", func(i uint64) uint64 { return first(New(i).Stream("hold", "worker-1").At(0)) }},
		{"numbers of one draw", func(uint64) uint64 { return inARow.Uint64() }},
		{"Rand", func(uint64) uint64 { return random.Uint64() }},
		{"seed against its neighbour", func(i uint64) uint64 {
			return first(New(i).Stream("hold", "worker-1").At(3)) ^ first(New(i+1).Stream("hold", "worker-1").At(3))
		}},
		{"ordinal against its neighbour", func(i uint64) uint64 {
			return first(stream.At(i)) ^ first(stream.At(i+1))
		}},
		{"seed against ordinal", func(i uint64) uint64 {
			return first(New(i).Stream("hold", "worker-1").At(1)) ^ first(New(1).Stream("hold", "worker-1").At(i))
		}},
		{"stream against stream", func(i uint64) uint64 {
			return first(New(i).Stream("hold", "worker-1").At(0)) ^ first(New(i).Stream("hold", "worker-2").At(0))
		}},
		{"first number against second", func(i uint64) uint64 {
			d := stream.At(i)
			number := d.Uint64()
			return number ^ d.Uint64()
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var ones [64]float64
			for i := range uint64(drawn) {
				for x := test.at(i); x != 0; x &= x - 1 {
					ones[bits.TrailingZeros64(x)]++
				}
			}
			chiSquare := 0.0
			for _, n := range ones {
				chiSquare += (n - drawn/2) * (n - drawn/2) / (drawn / 4)
			}
			// Chi-square with 64 degrees of freedom has mean 64 and a standard
			// deviation of 11.3.
			if chiSquare < 64-4*11.3 || chiSquare > 64+4*11.3 {
				t.Errorf("chi-square of the bits is %.1f, far from 64", chiSquare)
			}
		})
	}
}

func TestFloatsStayInTheirInterval(t *testing.T) {
	stream := New(3).Stream("float", "")
	for i := range uint64(drawn) {
		d := stream.At(i)
		if x := d.Float64(); x < 0 || x >= 1 {
			t.Fatalf("Float64 %d is %v", i, x)
		}
		if x := d.Open(); x <= 0 || x >= 1 || 1-(1-x) != x {
			t.Fatalf("Open %d is %v", i, x)
		}
	}
}

func TestInt64NIsUniform(t *testing.T) {
	for _, n := range []int64{1, 2, 7, 1000, math.MaxInt64} {
		stream := New(4).Stream("int", "")
		var low, mean float64
		for i := range uint64(drawn) {
			d := stream.At(i)
			x := d.Int64N(n)
			if x < 0 || x >= n {
				t.Fatalf("Int64N(%d) returned %d", n, x)
			}
			if x == 0 {
				low++
			}
			mean += float64(x) / drawn
		}
		wantMean := float64(n-1) / 2
		deviation := float64(n) / math.Sqrt(12*drawn)
		if math.Abs(mean-wantMean) > 4*deviation {
			t.Errorf("Int64N(%d) has mean %v, want about %v", n, mean, wantMean)
		}
		share := 1 / float64(n)
		if math.Abs(low/drawn-share) > 4*math.Sqrt(share*(1-share)/drawn)+1.0/drawn {
			t.Errorf("Int64N(%d) is 0 in a share of %v, want %v", n, low/drawn, share)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Int64N(0) did not panic")
		}
	}()
	d := New(1).Stream("", "").At(0)
	d.Int64N(0)
}

func TestDrawingDoesNotAllocate(t *testing.T) {
	stream := New(1).Stream("hold", "worker-1")
	latency := Dist{Kind: Lognormal, Median: 1e6, P99: 2e7}
	ordinal := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		d := stream.At(ordinal)
		latency.Sample(&d)
		ordinal++
	}); n != 0 {
		t.Errorf("a sample allocates %v times", n)
	}
}

func BenchmarkSample(b *testing.B) {
	stream := New(1).Stream("hold", "worker-1")
	for _, dist := range examples() {
		b.Run(string(dist.Kind), func(b *testing.B) {
			ordinal := uint64(0)
			for b.Loop() {
				d := stream.At(ordinal)
				dist.Sample(&d)
				ordinal++
			}
		})
	}
}
