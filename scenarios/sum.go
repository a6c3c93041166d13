package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"lockquake/checker"
)

// decides reports whether a violation of the check counts for the label: what
// its expectation names, or without one every check but belief, which by
// itself corrupts nothing.
func decides(s *Scenario, label, check string) bool {
	if e, ok := s.Expect[label]; ok {
		return slices.Contains(e.Holds, check) || slices.Contains(e.Violates, check)
	}
	return check != harmless
}

// harmless is the check that does not decide unless it is named.
const harmless = "belief"

// sum adds up the campaign.
func (c *campaign) sum() *Campaign {
	s := c.scenario
	result := &Campaign{
		Schema: 1, Version: Version, Scenario: s.Name, Source: s.Source, About: s.Description, Hash: s.Hash,
		Seeds: c.options.seeds, Needed: s.Seeds, Step: s.Step, Verdict: Pass,
		Partial: c.done < len(c.uses)*c.options.seeds.Count(),
	}
	for i := range c.uses {
		result.Strategies = append(result.Strategies, c.sumStrategy(i))
	}
	result.Faults = c.sumFaults()
	if result.Partial {
		result.add(Unknown, fmt.Sprintf("stopped after %d of %d runs", c.done, len(c.uses)*c.options.seeds.Count()))
	}
	for _, st := range result.Strategies {
		judgeStrategy(result, st)
	}
	judgeFaults(result)
	return result
}

// sumStrategy adds up the runs of one use.
func (c *campaign) sumStrategy(i int) StrategyStats {
	s, use := c.scenario, c.uses[i]
	expect, expected := s.Expect[use.Label]
	st := StrategyStats{
		Name: use.Name, Label: use.Label, Fence: s.ResourceOf(use).Fence,
		Checks: map[string]CheckStats{}, Order: s.Checks,
		// A strategy without an entry, where others have one, is reported and
		// does not decide.
		Decides: expected || len(s.Expect) == 0,
	}
	if expected {
		st.Expects = &expect
	}
	sums := xxhash.New()
	for _, t := range c.trials[i] {
		if t == nil {
			continue
		}
		st.Runs++
		st.Acquisitions += t.acquisitions
		st.Metrics.Add(&t.metrics)
		_, _ = sums.WriteString(t.checksum) // it never fails
		verdict := checker.Valid
		for _, r := range t.results {
			stats := st.Checks[r.Check]
			stats.Applies = stats.Applies || r.Applies
			switch r.Verdict {
			case checker.Invalid:
				stats.Violating++
			case checker.Unknown:
				stats.Unknown++
			case checker.Valid:
			}
			st.Checks[r.Check] = stats
			if decides(s, use.Label, r.Check) {
				verdict = verdict.Worse(r.Verdict)
			}
		}
		switch verdict {
		case checker.Invalid:
			st.Violating++
		case checker.Unknown:
			st.Unknown++
		case checker.Valid:
		}
	}
	if st.Runs > 0 {
		st.Rate = round6(float64(st.Violating) / float64(st.Runs))
	}
	st.Low, st.High = Wilson(st.Violating, st.Runs)
	st.Checksum = fmt.Sprintf("%016x", sums.Sum64())
	for _, check := range s.Checks {
		if t := c.first[i][check]; t != nil {
			stats := st.Checks[check]
			stats.FirstSeed, stats.Replay = t.Seed, t.Replay
			st.Checks[check] = stats
			st.Failures = append(st.Failures, Failure{Check: check, Seed: t.Seed, Trial: t})
		}
	}
	st.Expected = c.expectation(st)
	return st
}

// expectation compares what was seen of a strategy with what was expected.
// Where no strategy has an entry, each is expected to violate nothing; where
// others have one, nothing is expected of it.
func (c *campaign) expectation(st StrategyStats) Expectation {
	if !st.Decides {
		return CannotTell
	}
	if st.Expects == nil {
		switch {
		case st.Violating > 0:
			return NotAsExpected
		case st.Unknown > 0 || st.Runs == 0:
			return CannotTell
		}
		return AsExpected
	}
	result := AsExpected
	for _, check := range st.Expects.Holds {
		switch stats := st.Checks[check]; {
		case stats.Violating > 0:
			return NotAsExpected
		case stats.Unknown > 0 || st.Runs == 0:
			result = CannotTell
		}
	}
	for _, check := range st.Expects.Violates {
		switch stats := st.Checks[check]; {
		case stats.Violating > 0:
		case stats.Unknown == 0 && st.Runs >= c.scenario.Seeds:
			return NotAsExpected
		default:
			result = CannotTell
		}
	}
	return result
}

// sumFaults adds up what became of each entry of the scenario's faults.
func (c *campaign) sumFaults() []FaultStats {
	stats := make([]FaultStats, len(c.scenario.Faults))
	for i, spec := range c.scenario.Faults {
		stats[i] = FaultStats{Spec: i, Kind: spec.Kind, Optional: spec.Optional}
	}
	for _, trials := range c.trials {
		for _, t := range trials {
			if t == nil {
				continue
			}
			for _, p := range t.plan {
				stats[p.spec].Planned++
				if p.happened {
					stats[p.spec].Happened++
				}
				if p.bite {
					stats[p.spec].Bit++
				}
			}
		}
	}
	return stats
}

// judgeStrategy lets a strategy that decides have its say on the verdict.
func judgeStrategy(c *Campaign, st StrategyStats) {
	if !st.Decides {
		return
	}
	switch st.Expected {
	case AsExpected:
	case NotAsExpected:
		c.add(Fail, unexpected(st))
	case CannotTell:
		c.add(Unknown, undecided(c, st))
	}
}

// judgeFaults refuses a campaign in which a fault never met anything.
func judgeFaults(c *Campaign) {
	for _, f := range c.Faults {
		if f.Bit > 0 || f.Optional {
			continue
		}
		verdict := Fail
		if c.Partial || c.Seeds.Count() < c.Needed {
			verdict = Unknown
		}
		c.add(verdict, fmt.Sprintf("fault %d (%s) never met a section, a grant or a call: nothing was tested by it", f.Spec+1, f.Kind))
	}
}

// add lets a worse verdict win and keeps the reason.
func (c *Campaign) add(verdict Outcome, reason string) {
	if verdict == Fail || c.Verdict == Pass {
		c.Verdict = verdict
	}
	c.Reasons = append(c.Reasons, reason)
}

// unexpected says in one sentence what was seen that should not have been.
func unexpected(st StrategyStats) string {
	if st.Expects == nil {
		checks := slices.DeleteFunc(st.violated(), func(check string) bool { return check == harmless })
		return fmt.Sprintf("%s: %d of %d runs violate a check (%s), and nothing says that they may", st.Label, st.Violating, st.Runs, strings.Join(checks, ", "))
	}
	for _, check := range st.Expects.Holds {
		if stats := st.Checks[check]; stats.Violating > 0 {
			return fmt.Sprintf("%s: %s was expected to hold and is violated in %d of %d runs, first with seed %d", st.Label, check, stats.Violating, st.Runs, stats.FirstSeed)
		}
	}
	for _, check := range st.Expects.Violates {
		if st.Checks[check].Violating == 0 {
			return fmt.Sprintf("%s: %s was expected to be violated and held in all %d runs", st.Label, check, st.Runs)
		}
	}
	return st.Label + ": not as expected"
}

// violated lists the checks that were violated, in their order.
func (st StrategyStats) violated() []string {
	return slices.DeleteFunc(slices.Clone(st.Order), func(check string) bool { return st.Checks[check].Violating == 0 })
}

// undecided says in one sentence why it is not known.
func undecided(c *Campaign, st StrategyStats) string {
	if st.Runs == 0 {
		return st.Label + ": no run was finished"
	}
	for _, check := range st.Order {
		if n := st.Checks[check].Unknown; n > 0 {
			return fmt.Sprintf("%s: %s could not be decided in %d of %d runs", st.Label, check, n, st.Runs)
		}
	}
	for _, check := range st.Expects.Violates {
		if st.Checks[check].Violating == 0 {
			return fmt.Sprintf("%s: %s was not violated in %d runs, and it takes %d to say that it is not", st.Label, check, st.Runs, c.Needed)
		}
	}
	return st.Label + ": not known"
}

// Summary says in one sentence how the campaign ended.
func (c *Campaign) Summary() string {
	if c.Verdict == Pass {
		return "pass: everything as the scenario expects"
	}
	return string(c.Verdict) + ": " + strings.Join(c.Reasons, "; ")
}
