package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/stats"
	"lockquake/lock"
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

// sum returns the results of the campaign.
func (c *campaign) sum() *results.Campaign {
	c.settle() // a campaign that was stopped has done a part of its block
	s := c.scenario
	result := &results.Campaign{
		Schema: 1, Version: results.Version, Scenario: s.Name, Source: s.Source, About: s.Description, Workload: s.Workload.Kind, Hash: s.Hash, Text: string(s.Text), Overrides: s.OverrideTexts(), Program: s.Program,
		Seeds: c.request.Seeds, Until: c.request.Until, Summed: c.summed, Locks: s.Resources, Needed: s.Seeds, Step: s.Step, Wake: s.Wake, WakeLag: s.WakeLag.Phrase(), Samples: s.Samples(), Verdict: results.Pass,
		Partial: c.done < c.total || !c.complete(), Faults: c.sums.Faults, Setup: s.Setup(c.uses),
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
		done := c.sums.seeds().Ranges
		result.Seeds.Last = done[len(done)-1].Last
	}
	result.Paired = c.pairs()
	for _, st := range result.Strategies {
		judgeStrategy(result, st)
	}
	judgeFaults(result, s)
	if result.Vacuous() {
		worsen(result, results.Unknown, "unknown: the scenario has no fault, and no two sections competed for a lock")
	}
	return result
}

// sumStrategy returns the results of one use.
func (c *campaign) sumStrategy(i int) results.StrategyStats {
	s, use, u := c.scenario, c.uses[i], c.sums.Uses[i]
	st := results.StrategyStats{
		Name: use.Name, Label: use.Label, Case: use.Case, Class: s.ClassOf(use.Case), Fence: s.ResourceOf(use).Fence,
		Heeds: s.WorkloadOf(use).Heeds, HeedsOf: s.HeedsOfWorkers(use),
		Seeds: u.Seeds, Runs: u.Runs, Violating: u.Violating, Unknown: u.Unknown, Acquisitions: u.Acquisitions, Hit: u.Hit, HitRuns: u.HitRuns, Metrics: u.Metrics,
		Checks: map[string]results.CheckStats{}, Order: s.Checks,
	}
	// A strategy without an entry, where others have one, is reported, and has no effect on the
	// verdict.
	expect, expected := s.ExpectOf(use)
	if st.Decides = expected || len(s.Expect) == 0 && !s.Claims; expected {
		st.Expects = &expect
	}
	if rate := stats.PerRun(st.Violating, st.Runs); rate != nil {
		st.Rate, st.AtMost = rate.Rate, rate.AtMost
	}
	st.Low, st.High = stats.Wilson(st.Violating, st.Runs)
	checksum := c.digests[i].Sum64()
	if c.summed {
		checksum = u.Checksum
	}
	st.Checksum = fmt.Sprintf("%016x", checksum)
	if u.Unread != nil {
		st.Unread = u.Unread.Reason
	}
	for k, check := range s.Checks {
		if u.Runs == 0 {
			break
		}
		counts := c.sumCheck(u, k)
		if first := c.failures[i][check]; first != nil {
			counts.FirstSeed, counts.Replay = first.seed, s.Token(st.Label, first.seed, first.checksum)
			if first.trial != nil { // otherwise the run of another use is kept, or the campaign was stopped before it ran again
				st.Failures = append(st.Failures, results.Failure{Check: check, Seed: first.seed, Trial: first.trial})
			}
		}
		st.Checks[check] = counts
	}
	if entry, own := c.jobs.Own[use.Name]; own {
		st.Tokens = tokens(st, use)
		if st.Unread == "" && unseen(st, entry) {
			st.Unread = "no server ever had a record with one of the names that lock.Entry.Records returns, by default that of the lock"
		}
	}
	if st.Expects != nil {
		st.Bounds = st.Expects.Judge(&st.Metrics)
	}
	c.sortFailures(&st)
	st.Expected = c.expectation(st)
	return st
}

// sortFailures puts the failures that decide first, the most serious one at the top.
func (c *campaign) sortFailures(st *results.StrategyStats) {
	order := checker.Serious(c.scenario.Checks)
	rank := func(f results.Failure) int {
		if c.scenario.Decides(st.Label, f.Check) {
			return slices.Index(order, f.Check)
		}
		return len(order) + slices.Index(order, f.Check)
	}
	slices.SortStableFunc(st.Failures, func(a, b results.Failure) int { return cmp.Compare(rank(a), rank(b)) })
}

// unseen reports whether workers got the lock of the entry, and no run shows a holder.
func unseen(st results.StrategyStats, entry lock.Entry) bool {
	ownership, judged := st.Checks["ownership"]
	return judged && !ownership.Applies && st.Acquisitions > 0 && !entry.LockFree && !entry.Keeps
}

// tokens returns why the fencing tokens of a use do not fit its resource. If the file turns the fence of the use off, that
// is meant.
func tokens(st results.StrategyStats, use scenarios.Strategy) results.Tokens {
	fencing, judged := st.Checks["fencing"]
	switch off := st.Fence == "off"; {
	case !judged, st.Acquisitions == 0, off && use.Resource.Has("fence"):
		return ""
	case off && fencing.Applies:
		return results.TokensIgnored
	case !off && !fencing.Applies:
		return results.TokensMissing
	}
	return ""
}

// sumCheck returns the results of a check on one use.
func (c *campaign) sumCheck(u *useSums, k int) results.CheckStats {
	of := &u.Checks[k]
	counts := results.CheckStats{
		Applies: of.Applies, Violating: of.Violating, Unknown: of.Unknown, Violations: of.Violations,
		Seeds: of.Seeds, UnknownSeeds: of.UnknownSeeds,
	}
	if !counts.Applies {
		return counts
	}
	counts.PerRun = stats.PerRun(counts.Violating, u.Runs)
	if known, _ := checker.Lookup(c.scenario.Checks[k]); known.NoRate == "" {
		lockHours := u.Metrics.Time.Float() / float64(time.Hour) * float64(c.scenario.Resources)
		counts.Dispersion = stats.Dispersion(counts.Violations, of.Squares.Float(), u.Runs)
		counts.PerThousand = stats.PerExposure(counts.Violations, float64(u.Acquisitions)/1000, counts.Dispersion)
		counts.PerLockHour = stats.PerExposure(counts.Violations, lockHours, counts.Dispersion)
	}
	return counts
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
		if st.Case != "" && st.Hit == 0 && st.Decides && slices.ContainsFunc(s.Faults, must) {
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

// pairs compares each use with the first lock of its case.
func (c *campaign) pairs() []results.PairStats {
	var list []results.PairStats
	var ps []float64
	for i, use := range c.uses {
		p := c.sums.Uses[i].Pair
		if p.Seeds == 0 {
			continue
		}
		base, checks := pairOf(c.scenario, c.uses, i)
		list = append(list, results.PairStats{
			Base: c.uses[base].Label, Label: use.Label, Checks: checks, Seeds: p.Seeds,
			Both: p.Both, BaseOnly: p.BaseOnly, Only: p.Only, P: stats.McNemar(p.BaseOnly, p.Only),
		})
		ps = append(ps, list[len(list)-1].P)
	}
	for i, differs := range stats.Significant(ps) {
		list[i].Differs = differs
		list[i].Says = list[i].Sentence()
	}
	return list
}
