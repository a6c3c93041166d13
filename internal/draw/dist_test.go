package draw

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const ms = time.Millisecond

// examples has one distribution of each kind.
func examples() []Dist {
	return []Dist{
		Fixed(150 * ms),
		{Kind: Uniform, Min: 20 * ms, Max: 200 * ms},
		{Kind: Exponential, Mean: 20 * time.Second},
		{Kind: Lognormal, Median: 2 * ms, P99: 40 * ms},
		{Kind: Pareto, Min: 1 * ms, P99: 4 * ms},
		{Kind: Empirical, File: "pauses.txt", Samples: []time.Duration{3 * ms, 5 * ms, 7 * ms, 5000 * ms}},
	}
}

// The golden file is the same for all architectures: it has a few samples to look at, and a hash of
// many.
func TestGoldenSamplesAreTheSameOnEveryArchitecture(t *testing.T) {
	const many = 20000
	var got strings.Builder
	source := New(42)
	for i := range uint64(4) {
		d := source.Stream("golden", "bits").At(i)
		fmt.Fprintf(&got, "bits %016x %016x, 7 of %d, %x\n", d.Uint64(), d.Uint64(), d.Int64N(1000), math.Float64bits(d.Open()))
	}
	fmt.Fprintf(&got, "rand %016x\n", source.Stream("golden", "bits").Rand().Uint64())
	for _, dist := range examples() {
		stream := source.Stream("golden", string(dist.Kind))
		fmt.Fprintf(&got, "%v:", dist)
		var all []byte
		for i := range uint64(many) {
			d := stream.At(i)
			sample := dist.Sample(&d)
			if i < 6 {
				fmt.Fprintf(&got, " %d", sample)
			}
			all = fmt.Appendf(all, "%d\n", sample)
		}
		fmt.Fprintf(&got, " ... %016x\n", xxhash.Sum64(all))
	}
	for _, function := range []struct {
		name string
		f    func(p float64) float64
	}{
		{"exp", func(p float64) float64 { return exp(float64(1400*p) - 700) }},
		{"log", log},
		{"quantile", normalQuantile},
	} {
		var all []byte
		for i := range uint64(many) {
			d := source.Stream("golden", function.name).At(i)
			all = fmt.Appendf(all, "%x\n", math.Float64bits(function.f(d.Open())))
		}
		fmt.Fprintf(&got, "%s ... %016x\n", function.name, xxhash.Sum64(all))
	}

	const path = "testdata/samples.golden"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("samples changed, and with them every stored run (-want +got):\n%s", diff)
	}
}

// TestSamplesFollowTheirDistribution compares mean, median and 99 % quantile of many samples with
// the closed forms, within four standard errors.
func TestSamplesFollowTheirDistribution(t *testing.T) {
	// The lognormal is exp of a normal variable with this deviation, the pareto
	// has this exponent.
	sigma := math.Log(40.0/2) / normal99
	alpha := math.Log(100) / math.Log(4)
	tests := []struct {
		dist            Dist
		mean, deviation float64 // milliseconds
		median, p99     time.Duration
	}{
		{dist: examples()[1], mean: 110, deviation: 180 / math.Sqrt(12), median: 110 * ms, p99: 198200 * time.Microsecond},
		{
			dist: examples()[2], mean: 20000, deviation: 20000,
			median: time.Duration(20e9 * math.Log(2)), p99: time.Duration(20e9 * math.Log(100)),
		},
		{
			dist: examples()[3], mean: 2 * math.Exp(sigma*sigma/2),
			deviation: 2 * math.Exp(sigma*sigma/2) * math.Sqrt(math.Expm1(sigma*sigma)), median: 2 * ms, p99: 40 * ms,
		},
		{
			dist: examples()[4], mean: alpha / (alpha - 1), deviation: math.Sqrt(alpha/(alpha-2)) / (alpha - 1),
			median: time.Duration(1e6 * math.Exp2(1/alpha)), p99: 4 * ms,
		},
	}
	const n = 40000
	for _, test := range tests {
		t.Run(string(test.dist.Kind), func(t *testing.T) {
			stream := New(11).Stream("sample", "")
			var mean, belowMedian, belowP99 float64
			for i := range uint64(n) {
				d := stream.At(i)
				sample := test.dist.Sample(&d)
				mean += float64(sample) / float64(ms) / n
				if sample < test.median {
					belowMedian += 1.0 / n
				}
				if sample < test.p99 {
					belowP99 += 1.0 / n
				}
			}
			if math.Abs(mean-test.mean) > 4*test.deviation/math.Sqrt(n) {
				t.Errorf("mean %v ms, want about %v", mean, test.mean)
			}
			if math.Abs(belowMedian-0.5) > 4*math.Sqrt(0.25/n) {
				t.Errorf("a share of %v is below the median", belowMedian)
			}
			if math.Abs(belowP99-0.99) > 4*math.Sqrt(0.99*0.01/n) {
				t.Errorf("a share of %v is below the 99 %% quantile", belowP99)
			}
		})
	}
}

func TestEmpiricalTakesEachSampleEquallyOften(t *testing.T) {
	const n = 40000
	dist := examples()[5]
	count := map[time.Duration]float64{}
	for i := range uint64(n) {
		d := New(5).Stream("sample", "").At(i)
		count[dist.Sample(&d)]++
	}
	if len(count) != len(dist.Samples) {
		t.Errorf("drawn were %v", count)
	}
	for _, sample := range dist.Samples {
		if math.Abs(count[sample]-n/4) > 4*math.Sqrt(n*0.25*0.75) {
			t.Errorf("%v came %v times of %d", sample, count[sample], n)
		}
	}
}

func TestQuantilesStayWithinTheirBounds(t *testing.T) {
	const lowest, highest = 0x1p-53, 1 - 0x1p-53 // of Draw.Open
	tests := []struct {
		name string
		dist Dist
		p    float64
		want time.Duration
	}{
		{"zero value", Dist{}, 0.5, 0},
		{"constant", Fixed(3 * ms), highest, 3 * ms},
		{"uniform lowest", Dist{Kind: Uniform, Min: 5, Max: 8}, lowest, 5},
		{"uniform highest excludes max", Dist{Kind: Uniform, Min: 5, Max: 8}, highest, 7},
		{"uniform, wider than a float64 is exact", Dist{Kind: Uniform, Max: Longest}, highest, Longest - 64},
		{"exponential lowest", Dist{Kind: Exponential, Mean: time.Second}, lowest, 0},
		{"lognormal median", Dist{Kind: Lognormal, Median: 2 * ms, P99: 40 * ms}, 0.5, 2 * ms},
		{"lognormal p99", Dist{Kind: Lognormal, Median: 2 * ms, P99: 40 * ms}, 0.99, 40 * ms},
		{"lognormal saturates", Dist{Kind: Lognormal, Median: 1, P99: Longest}, highest, Longest},
		{"pareto min", Dist{Kind: Pareto, Min: 2 * ms, P99: 40 * ms}, lowest, 2 * ms},
		{"pareto p99", Dist{Kind: Pareto, Min: 2 * ms, P99: 40 * ms}, 0.99, 40 * ms},
		{"pareto saturates", Dist{Kind: Pareto, Min: 1, P99: Longest}, highest, Longest},
		{"exponential saturates", Dist{Kind: Exponential, Mean: Longest}, highest, Longest},
		{"empirical first", examples()[5], lowest, 3 * ms},
		{"empirical last", examples()[5], highest, 5 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.dist.Quantile(test.p); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestASampleTakesOneNumberWhateverItsKind(t *testing.T) {
	for _, dist := range append(examples(), Dist{}) {
		d, other := New(1).Stream("", "").At(0), New(1).Stream("", "").At(0)
		dist.Sample(&d)
		other.Open()
		if d != other {
			t.Errorf("%v takes other than one number", dist)
		}
	}
}

func TestValidateNamesTheWrongField(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name string
		dist Dist
		want string // the error begins with the field
	}{
		{"zero value", Dist{}, ""},
		{"constant zero", Fixed(0), ""},
		{"uniform from zero", Dist{Kind: Uniform, Max: s}, ""},
		{"no kind", Dist{Mean: s}, `dist: unknown distribution ""`},
		{"unknown kind", Dist{Kind: "normal"}, `dist: unknown distribution "normal"`},
		{"negative", Fixed(-s), "value: -1s is negative"},
		{"too long", Fixed(Longest + 1), "value: 87600h0m0.000000001s is longer than ten years"},
		{"foreign field", Dist{Kind: Constant, Value: s, Mean: s}, "mean: a distribution of the kind constant has none"},
		{"uniform empty", Dist{Kind: Uniform, Min: s, Max: s}, "max: 1s is not longer than min, 1s"},
		{"uniform without max", Dist{Kind: Uniform, Min: s}, "max: a distribution of the kind uniform needs one above 0s"},
		{"exponential without mean", Dist{Kind: Exponential}, "mean: a distribution of the kind exponential needs one"},
		{"lognormal without p99", Dist{Kind: Lognormal, Median: s}, "p99: a distribution of the kind lognormal needs one"},
		{"lognormal flat", Dist{Kind: Lognormal, Median: s, P99: s}, "p99: 1s is not longer than median, 1s"},
		{"pareto by median", Dist{Kind: Pareto, Median: s, P99: 2 * s}, "min: a distribution of the kind pareto needs one"},
		{"pareto flat", Dist{Kind: Pareto, Min: s, P99: s}, "p99: 1s is not longer than min, 1s"},
		{"empirical without samples", Dist{Kind: Empirical, File: "x"}, "samples: an empirical distribution needs at least one"},
		{"empirical negative", Dist{Kind: Empirical, Samples: []time.Duration{s, -s}}, "file: duration 2, -1s, is not between"},
		{"file elsewhere", Dist{Kind: Constant, File: "x"}, "file: a distribution of the kind constant has none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := test.dist.Validate(); err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for _, dist := range examples() {
		if err := dist.Validate(); err != nil {
			t.Errorf("%v: %v", dist, err)
		}
	}
}

func TestADistributionIsWrittenAsInAScenario(t *testing.T) {
	want := []string{
		"150ms",
		"{dist: uniform, min: 20ms, max: 200ms}",
		"{dist: exponential, mean: 20s}",
		"{dist: lognormal, median: 2ms, p99: 40ms}",
		"{dist: pareto, min: 1ms, p99: 4ms}",
		"{dist: empirical, file: pauses.txt}",
		"0s",
	}
	var got []string
	for _, dist := range append(examples(), Dist{}) {
		got = append(got, dist.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheZeroValueIsZero(t *testing.T) {
	if !(Dist{}).IsZero() {
		t.Error("the zero value is set")
	}
	for _, dist := range append(examples(), Fixed(0), Dist{Mean: 1}, Dist{File: "x"}) {
		if dist.IsZero() {
			t.Errorf("%v is not set", dist)
		}
	}
}
