package campaign

import (
	"slices"
	"strconv"
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/results"
)

// The built-in scenarios of workloads that lock more than a counter end as
// they were written to.
func TestWorkloadScenarios(t *testing.T) {
	for _, name := range []string{
		"cron", "herd", "multi-lock", "bank-transfer", "cache-stampede", "card-charge", "charge-crash", "double-discount", "flash-sale", "job-queue", "migrations",
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

// If the accounts end with another total than they began with, conserved says so, and it accuses
// no transfer if every transfer took effect as a whole.
func TestConservedAgreesWithTheTotalOfTheAccounts(t *testing.T) {
	s := loaded(t, "bank-transfer")
	const initial = 4 * 1000
	for label, conserves := range map[string]bool{"both": true, "source-only": false, "two-names": false} {
		changed := false
		for seed := uint64(1); seed <= 5; seed++ {
			trial := trialOf(t, s, label, seed)
			total := 0
			for _, e := range trial.History.Events {
				if e.Type == history.Final {
					n, err := strconv.Atoi(e.Value)
					if err != nil {
						t.Fatal(err)
					}
					total += n
				}
			}
			changed = changed || total != initial
			invalid := slices.Contains(trial.Checks(checker.Invalid), "conserved")
			if invalid == conserves || total != initial && !invalid {
				t.Errorf("%s, seed %d: the accounts hold %d in the end, and conserved is violated: %v", label, seed, total, invalid)
			}
		}
		if changed == conserves {
			t.Errorf("%s: the total changed in a run: %v", label, changed)
		}
	}
}
