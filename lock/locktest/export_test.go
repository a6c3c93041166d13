package locktest

import (
	"runtime"
	"testing"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// Checksums runs a seed of a scenario several times on one core and on two, and counts the runs with each checksum.
func Checksums(t *testing.T, scenario string, new func(Deps) lock.Locker, seed uint64, times int) map[string]int {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	sums := map[string]int{}
	withLibrary(t, scenario, lockerOf(new), func(r *request) {
		s, err := r.load(scenario, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, cores := range []int{1, 2} {
			runtime.GOMAXPROCS(cores)
			for range times {
				trial, err := run.Once(s, run.Request{Label: r.entry.Name, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				sums[trial.Checksum]++
			}
		}
	})
	return sums
}

// Beside runs the seeds of a scenario with a lock library and with a use of a strategy of the scenario, and counts the runs
// of each that violate a check.
func Beside(t *testing.T, scenario string, new func(Deps) lock.Locker, label string, seeds int, check string, options ...Option) (library, model int) {
	t.Helper()
	violating := func(s *scenarios.Scenario, label string, jobs int) int {
		c, err := campaign.Run(t.Context(), s, campaign.Request{Strategies: []string{label}, Seeds: results.SeedRange{First: 1, Last: uint64(seeds)}, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		return c.Strategies[0].Checks[check].Violating
	}
	withLibrary(t, scenario, lockerOf(new), func(r *request) {
		for _, option := range options {
			option(r)
		}
		s, err := r.load(scenario, r.overrides)
		if err != nil {
			t.Fatal(err)
		}
		library = violating(s, r.entry.Name, 1)
		own, err := scenarios.LoadWith(scenario, r.overrides)
		if err != nil {
			t.Fatal(err)
		}
		model = violating(own, label, 0)
	})
	return library, model
}
