package campaign

import (
	"context"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// BenchmarkCampaign measures the whole pipeline on one core: runs of gc-pause,
// recorded and checked. The figure that counts is lock cycles a second.
func BenchmarkCampaign(b *testing.B) {
	s, err := scenarios.Load("gc-pause")
	if err != nil {
		b.Fatal(err)
	}
	for _, label := range []string{"none", "redis", "redis-watchdog", "fenced"} {
		b.Run(label, func(b *testing.B) {
			b.ReportAllocs()
			c, err := Run(context.Background(), s, Request{Seeds: results.SeedRange{First: 1, Last: uint64(b.N)}, Strategies: []string{label}, Jobs: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(c.Strategies[0].Acquisitions)/b.Elapsed().Seconds(), "cycles/s")
		})
	}
}
