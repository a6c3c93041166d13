package campaign

import (
	"testing"

	"lockquake/scenarios/results"
)

// The built-in scenarios of workloads that lock more than a counter end as
// they were written to.
func TestWorkloadScenarios(t *testing.T) {
	for _, name := range []string{
		"cron", "herd", "multi-lock", "bank-transfer", "cache-stampede", "card-charge", "double-discount", "flash-sale", "job-queue", "migrations",
		"rate-limit", "torn-transfer",
	} {
		t.Run(name, func(t *testing.T) {
			s := loaded(t, name)
			seeds := s.Seeds
			if testing.Short() {
				seeds = 3
			}
			c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: uint64(seeds)}})
			if c.Verdict == results.Fail || !testing.Short() && c.Verdict != results.Pass {
				t.Errorf("%s", c.Summary())
			}
			violatesInEveryRun(t, c)
		})
	}
}

// What retries in step cost is paid by those who wait, not only by the server.
func TestHerdWaits(t *testing.T) {
	s := loaded(t, "herd")
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 3}})
	spread, herd := &c.Strategies[0].Metrics, &c.Strategies[1].Metrics
	if herd.Wait.Median() < 100*spread.Wait.Median() || herd.Wait.P99() < 5*spread.Wait.P99() || 3*herd.Acquisitions > spread.Acquisitions {
		t.Errorf("with jitter %d sections waited for %v at the median and %v at the 99th percentile, and %d for %v and %v without",
			spread.Acquisitions, spread.Wait.Median(), spread.Wait.P99(), herd.Acquisitions, herd.Wait.Median(), herd.Wait.P99())
	}
}
