package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// summary has the figures of a run that a campaign sums up and a journal stores.
type summary struct {
	Checksum     string               `json:"checksum"`
	Acquisitions int64                `json:"acquisitions"`
	Results      outcomes             `json:"results"`          // in the order of the scenario's checks
	Faults       []results.FaultStats `json:"faults,omitempty"` // of those that the plan has
	Metrics      checker.Metrics      `json:"metrics"`
	Unread       string               `json:"unread,omitempty"` // as in history.Meta
}

// outcomeOf is the result of a check on a run, without the findings.
type outcomeOf struct {
	verdict checker.Verdict
	applies bool
	count   int
}

// tally sums up the runs of one use in the order of their seeds. The runs may end in any order.
type tally struct {
	scenario *scenarios.Scenario
	stats    results.StrategyStats
	sums     *xxhash.Digest
	squares  map[string]float64 // of the violations of each run, by check
	next     uint64
	waiting  map[uint64]*summary // runs that wait for the runs of lower seeds
}

func newTally(s *scenarios.Scenario, use scenarios.Strategy, first uint64) *tally {
	expect, expected := s.ExpectOf(use)
	t := &tally{scenario: s, sums: xxhash.New(), squares: map[string]float64{}, next: first, waiting: map[uint64]*summary{}, stats: results.StrategyStats{
		Name: use.Name, Label: use.Label, Case: use.Case, Class: s.ClassOf(use.Case), Fence: s.ResourceOf(use).Fence,
		Heeds: s.WorkloadOf(use).Heeds, HeedsOf: s.HeedsOfWorkers(use),
		Checks: map[string]results.CheckStats{}, Order: s.Checks,
		// A strategy without an entry, where others have one, is reported, and has no effect on the
		// verdict.
		Decides: expected || len(s.Expect) == 0 && !s.Claims,
	}}
	if expected {
		t.stats.Expects = &expect
	}
	return t
}

// take stores a run, and adds all runs that no longer wait for a lower seed.
func (t *tally) take(seed uint64, s *summary) {
	t.waiting[seed] = s
	for t.waiting[t.next] != nil {
		t.add(t.next)
		t.next++
	}
}

// add adds the waiting run of a seed.
func (t *tally) add(seed uint64) {
	s, st := t.waiting[seed], &t.stats
	delete(t.waiting, seed)
	st.Runs++
	st.Seeds.Add(seed)
	st.Acquisitions += s.Acquisitions
	st.Metrics.Add(&s.Metrics)
	st.Unread = cmp.Or(st.Unread, s.Unread)
	for _, f := range s.Faults {
		st.Bit += f.Bit
	}
	_, _ = t.sums.WriteString(s.Checksum) // it never fails
	verdict := checker.Valid
	for i, r := range s.Results {
		check := t.scenario.Checks[i]
		stats := st.Checks[check]
		stats.Applies = stats.Applies || r.applies
		switch r.verdict {
		case checker.Invalid:
			stats.Violating++
			stats.Violations += int64(r.count)
			stats.Seeds.Add(seed)
			t.squares[check] += float64(r.count) * float64(r.count)
		case checker.Unknown:
			stats.Unknown++
			stats.UnknownSeeds.Add(seed)
		case checker.Valid:
		}
		st.Checks[check] = stats
		if t.scenario.Decides(st.Label, check) {
			verdict = verdict.Worse(r.verdict)
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

// narrow reports whether the half-width of the interval is at most the given one.
func (t *tally) narrow(halfWidth float64) bool {
	low, high := stats.Wilson(t.stats.Violating, t.stats.Runs)
	return (high-low)/2 <= halfWidth
}

// sum returns the results of the campaign.
func (c *campaign) sum() *results.Campaign {
	s := c.scenario
	result := &results.Campaign{
		Schema: 1, Version: results.Version, Scenario: s.Name, Source: s.Source, About: s.Description, Workload: s.Workload.Kind, Hash: s.Hash, Text: string(s.Text), Overrides: s.OverrideTexts(), Program: s.Program,
		Seeds: c.request.Seeds, Until: c.request.Until, Locks: s.Resources, Needed: s.Seeds, Step: s.Step, Wake: s.Wake, WakeLag: s.WakeLag.Phrase(), Samples: s.Samples(), Verdict: results.Pass,
		Partial: c.done < c.total || !c.complete(), Faults: c.faults, Setup: s.Setup(c.uses),
	}
	if s.Wake == results.WakeDrawn {
		result.Cores = s.Cores
	}
	for i := range c.uses {
		result.Strategies = append(result.Strategies, c.sumStrategy(i))
	}
	if result.Faults == nil {
		result.Faults = []results.FaultStats{}
	}
	switch {
	case result.Partial && c.request.Until > 0:
		worsen(result, results.Unknown, fmt.Sprintf("unknown: stopped after %d runs, before every interval was narrow enough", c.done))
	case result.Partial:
		worsen(result, results.Unknown, fmt.Sprintf("unknown: stopped after %d of %d runs", c.done, c.total))
	default:
		result.Seeds.Last = c.seeds.Last
		if len(c.active) == 0 {
			result.Seeds.Last = c.seeds.First - 1 // no use was left to run the block
		}
	}
	result.Paired = pairs(result, s, c.uses)
	for _, st := range result.Strategies {
		judgeStrategy(result, st)
	}
	judgeFaults(result, s)
	return result
}

// sumStrategy returns the results of one use.
func (c *campaign) sumStrategy(i int) results.StrategyStats {
	t := c.tallies[i]
	// If the campaign was stopped, some runs still wait for one that did not end.
	for _, seed := range slices.Sorted(maps.Keys(t.waiting)) {
		t.add(seed)
	}
	st := t.stats
	if rate := stats.PerRun(st.Violating, st.Runs); rate != nil {
		st.Rate, st.AtMost = rate.Rate, rate.AtMost
	}
	st.Low, st.High = stats.Wilson(st.Violating, st.Runs)
	st.Checksum = fmt.Sprintf("%016x", t.sums.Sum64())
	lockHours := st.Metrics.Time.Hours() * float64(c.scenario.Resources)
	for _, check := range c.scenario.Checks {
		counts, found := st.Checks[check]
		if !found {
			continue
		}
		if counts.Applies {
			counts.PerRun = stats.PerRun(counts.Violating, st.Runs)
			if known, _ := checker.Lookup(check); known.NoRate == "" {
				counts.Dispersion = stats.Dispersion(counts.Violations, t.squares[check], st.Runs)
				counts.PerThousand = stats.PerExposure(counts.Violations, float64(st.Acquisitions)/1000, counts.Dispersion)
				counts.PerLockHour = stats.PerExposure(counts.Violations, lockHours, counts.Dispersion)
			}
		}
		if first := c.first[i][check]; first != nil {
			counts.FirstSeed, counts.Replay = first.seed, c.scenario.Token(st.Label, first.seed, first.checksum)
			if first.trial != nil { // else another is kept, or the campaign was stopped before it was run again
				st.Failures = append(st.Failures, results.Failure{Check: check, Seed: first.seed, Trial: first.trial})
			}
		}
		st.Checks[check] = counts
	}
	if st.Expects != nil {
		st.Bounds = st.Expects.Judge(&st.Metrics)
	}
	// The failures that decide come first, the most serious one at the top.
	order := checker.Serious(c.scenario.Checks)
	slices.SortStableFunc(st.Failures, func(a, b results.Failure) int {
		rank := func(check string) int {
			if c.scenario.Decides(st.Label, check) {
				return slices.Index(order, check)
			}
			return len(order) + slices.Index(order, check)
		}
		return cmp.Compare(rank(a.Check), rank(b.Check))
	})
	st.Expected = c.expectation(st)
	return st
}

// expectation compares the results of a strategy with its expectation. If no strategy has an entry,
// each is expected to violate nothing. If only others have one, nothing is expected of this
// strategy.
func (c *campaign) expectation(st results.StrategyStats) results.Expectation {
	if !st.Decides {
		return results.CannotTell
	}
	if st.Expects == nil {
		switch {
		case st.Violating > 0:
			return results.NotAsExpected
		case st.Unknown > 0 || st.Untested() != "":
			return results.CannotTell
		}
		return results.AsExpected
	}
	result := results.AsExpected
	for _, bound := range st.Bounds {
		if !bound.Met {
			return results.NotAsExpected
		}
	}
	for _, check := range st.Expects.Holds {
		switch stats := st.Checks[check]; {
		case stats.Violating > 0:
			return results.NotAsExpected
		case stats.Unknown > 0 || !stats.Applies || st.Untested() != "":
			result = results.CannotTell
		}
	}
	for _, check := range st.Expects.Violates {
		switch stats := st.Checks[check]; {
		case stats.Violating > 0:
		case stats.Unknown == 0 && st.Runs >= c.scenario.Seeds:
			return results.NotAsExpected
		default:
			result = results.CannotTell
		}
	}
	return result
}

// judgeStrategy applies the results of a strategy to the verdict.
func judgeStrategy(c *results.Campaign, st results.StrategyStats) {
	if !st.Decides {
		return
	}
	switch st.Expected {
	case results.AsExpected:
	case results.NotAsExpected:
		worsen(c, results.Fail, st.Contradiction().Text)
	case results.CannotTell:
		worsen(c, results.Unknown, st.Undecided(c.Needed))
	}
}

// judgeFaults worsens the verdict if a fault never hit anything, or if no fault of a case hit a
// strategy.
func judgeFaults(c *results.Campaign, s *scenarios.Scenario) {
	verdict, word := results.Fail, "not expected: "
	if c.Partial || c.Seeds.Count() < c.Needed {
		verdict, word = results.Unknown, "unknown: "
	}
	for _, f := range c.IdleFaults() {
		worsen(c, verdict, fmt.Sprintf("%sfault %s hit no section, lease or call", word, f.Name()))
	}
	for _, st := range c.Strategies {
		must := func(f faults.Spec) bool { return f.Case == st.Case && !f.Optional }
		if st.Case != "" && st.Bit == 0 && st.Decides && slices.ContainsFunc(s.Faults, must) {
			worsen(c, verdict, word+"no fault hit a section, lease or call of "+st.Label)
		}
	}
}

// worsen replaces the verdict by a worse one, with its reason.
func worsen(c *results.Campaign, verdict results.Outcome, reason string) {
	if verdict == results.Fail || c.Verdict == results.Pass {
		c.Verdict = verdict
	}
	c.Reasons = append(c.Reasons, reason)
}

// pairs compares each use with the first lock of its case. It skips the strategy none, since every
// lock is better than no lock.
func pairs(c *results.Campaign, s *scenarios.Scenario, uses []scenarios.Strategy) []results.PairStats {
	var list []results.PairStats
	var ps []float64
	for i, use := range uses {
		first := slices.IndexFunc(uses, func(u scenarios.Strategy) bool { return u.Case == use.Case && u.Name != "none" })
		if first == i || first < 0 {
			continue
		}
		base, st := &c.Strategies[first], &c.Strategies[i]
		var checks []string
		for _, check := range st.Order {
			if s.Decides(base.Label, check) && s.Decides(st.Label, check) {
				checks = append(checks, check)
			}
		}
		p := results.Pair(base.VerdictsOfAny(checks), st.VerdictsOfAny(checks))
		if len(checks) == 0 || p.Seeds == 0 {
			continue
		}
		list = append(list, results.PairStats{
			Base: base.Label, Label: st.Label, Checks: checks, Seeds: p.Seeds,
			Both: p.Both, BaseOnly: p.Fixed.Count(), Only: p.Broken.Count(), P: p.P,
		})
		ps = append(ps, p.P)
	}
	for i, differs := range stats.Significant(ps) {
		list[i].Differs = differs
		list[i].Says = list[i].Sentence()
	}
	return list
}
