package spread

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestQuantilesAreWithinTwoPercent(t *testing.T) {
	var s Spread
	for i := 1; i <= 100; i++ {
		s.Add(time.Duration(i) * time.Millisecond)
	}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{half, 50 * time.Millisecond}, {most, 90 * time.Millisecond}, {nearlyAll, 99 * time.Millisecond}, {1, 100 * time.Millisecond}} {
		got := s.Quantile(c.q)
		if off := (got - c.want).Abs(); off > c.want/50 {
			t.Errorf("quantile %v = %v, want %v within 2 %%", c.q, got, c.want)
		}
	}
	if s.Mean() != 50500*time.Microsecond || s.Max != 100*time.Millisecond {
		t.Errorf("mean %v, max %v", s.Mean(), s.Max)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Spread
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back, cmp.AllowUnexported(Spread{}, counted{})); diff != "" {
		t.Error(diff)
	}
}

// A quantile is within one bucket of the duration with that rank, and merging gives the same result
// as adding.
func TestMergingSpreadsIsTheSameAsAdding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole, left, right Spread
		for _, n := range rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 50).Draw(t, "lengths") {
			d := time.Duration(n)
			var one Spread
			one.Add(d)
			if got := one.Quantile(half); (got - d).Abs() > d/32+1 {
				t.Fatalf("the median of %v alone is %v", d, got)
			}
			whole.Add(d)
			if n%2 == 0 {
				left.Add(d)
			} else {
				right.Add(d)
			}
		}
		left.Merge(right)
		for _, q := range []float64{0.01, half, most, nearlyAll, 1} {
			if left.Quantile(q) != whole.Quantile(q) {
				t.Fatalf("quantile %v: merged %v, whole %v", q, left.Quantile(q), whole.Quantile(q))
			}
		}
		q := whole.quantiles(half, most, nearlyAll)
		if diff := cmp.Diff([]time.Duration{whole.Median(), whole.P90(), whole.P99()}, q); diff != "" {
			t.Fatalf("one by one and together (-one +together):\n%s", diff)
		}
		if whole.Quantile(1) != whole.Max {
			t.Fatalf("quantile 1 is %v, the longest is %v", whole.Quantile(1), whole.Max)
		}
	})
}

// A spread can be read back from its own format and from that of earlier versions.
func TestSpreadReadsBack(t *testing.T) {
	var s Spread
	for i := range 50 {
		s.Add(time.Duration(i*i) * time.Millisecond)
		s.Add(time.Second)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Spread
	if err := json.Unmarshal(data, &back); err != nil || !back.Equal(s) {
		t.Errorf("%s reads back as %+v, %v", data, back, err)
	}
	for text, want := range map[string]buckets{
		`{"n": 4, "total": 9, "max": 5, "counts": {"1": 1, "5": 3}}`: {{1, 1}, {5, 3}},
		`{"n": 4, "total": 9, "max": 5, "counts": "1 5:3"}`:          {{1, 1}, {5, 3}},
		`{"n": 0, "total": 0, "max": 0}`:                             nil,
	} {
		var got Spread
		if err := json.Unmarshal([]byte(text), &got); err != nil || !slices.Equal(got.counts, want) {
			t.Errorf("%s reads as %v, %v", text, got.counts, err)
		}
	}
	for _, text := range []string{
		`{"n": -1, "total": 0, "max": 0}`,
		`{"n": 0, "total": 0, "max": -5}`,
		`{"n": 1, "total": 5, "max": 5}`,                                                        // no bucket
		`{"n": 3, "total": 9, "max": 5, "counts": "1 5:3"}`,                                     // four cases
		`{"n": 5, "total": 9, "max": 5, "counts": "1 5:3"}`,                                     // four cases
		`{"n": 4, "total": 9, "max": 5, "counts": "1:5 5:-1"}`,                                  // four cases
		`{"n": 4, "total": 9, "max": 5, "counts": "0:0 1 5:3"}`,                                 // an empty bucket
		`{"n": 4, "total": 9, "max": 5, "counts": "-1 5:3"}`,                                    // a negative bucket
		`{"n": 4, "total": 9, "max": 5, "counts": "1 6:3"}`,                                     // the last bucket is not that of 5 ns
		`{"n": 4, "total": 21, "max": 5, "counts": "1 5:3"}`,                                    // more than four times 5 ns
		`{"n": 0, "total": 1, "max": 0}`,                                                        // the sum of no durations
		`{"n": 0, "total": 0, "max": 5}`,                                                        // the longest of no durations
		`{"n": 4, "total": 9, "max": 5, "counts": {"1": 1}}`,                                    // one case
		`{"n": 1, "total": 18446744073709551616, "max": 9223372036854775807, "counts": "1887"}`, // the average has more than 63 bits
	} {
		if err := json.Unmarshal([]byte(text), new(Spread)); !errors.Is(err, errSpread) {
			t.Errorf("%s gives %v", text, err)
		}
	}
	for _, text := range []string{`{"counts": "1 x"}`, `{"counts": "1:y"}`, `{"counts": 7}`, `{"counts": "5 1"}`, `{"counts": "5 5"}`} {
		if err := json.Unmarshal([]byte(text), new(Spread)); err == nil {
			t.Errorf("%s reads without an error", text)
		}
	}
}
