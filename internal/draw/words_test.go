package draw

import (
	"testing"
	"time"
)

func TestAPhraseSaysHowLongSamplesAre(t *testing.T) {
	for _, tt := range []struct {
		of   Dist
		want string
	}{
		{Dist{}, "0s"},
		{Fixed(25 * time.Second), "25s"},
		{Dist{Kind: Uniform, Min: 20 * ms, Max: 200 * ms}, "20ms to 200ms"},
		{Dist{Kind: Exponential, Mean: 20 * time.Second}, "20s on average"},
		{Dist{Kind: Lognormal, Median: ms, P99: 20 * ms}, "1ms at the median and 20ms at p99"},
		{Dist{Kind: Pareto, Min: ms, P99: 20 * ms}, "1ms at least and 20ms at p99"},
		{Dist{Kind: Empirical, Samples: []time.Duration{ms, 2 * ms}}, "one of 2 durations"},
		{Dist{Kind: Empirical, File: "gctrace.log", Samples: []time.Duration{ms, 2 * ms}}, "one of the durations in gctrace.log"},
	} {
		if got := tt.of.Phrase(); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.of, got, tt.want)
		}
	}
}
