package bench

import (
	"context"
	"runtime/debug"
	"testing"

	"lockquake/reports"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// BenchmarkReport measures the time that a user waits: gc-pause with 1,000 seeds and five
// strategies, run and judged on all cores, and its report directory with all pictures and stories.
// Run it with -benchtime 1x.
func BenchmarkReport(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	s, err := scenarios.Load("gc-pause")
	if err != nil {
		b.Fatal(err)
	}
	const seeds = 1000
	strategies := []string{"none", "redis", "redis-checked", "redis-watchdog", "fenced"}
	runs := 0
	var acquired int64
	for b.Loop() {
		c, err := campaign.Run(context.Background(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: seeds}, Strategies: strategies})
		if err != nil {
			b.Fatal(err)
		}
		for _, st := range c.Strategies {
			runs += st.Runs
			acquired += st.Acquisitions
		}
		if err := reports.WriteDir(b.TempDir(), c, s.Text, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(acquired)/b.Elapsed().Seconds(), cycles)
	b.ReportMetric(float64(runs)*s.Duration.Seconds()/b.Elapsed().Seconds(), "virtual-s/s")
}
