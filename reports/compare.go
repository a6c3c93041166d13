package reports

import (
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// judgement is the verdict on a result against an earlier one.
type judgement string

// The judgements, the most important first.
const (
	worse      judgement = "worse"
	cannotTell judgement = "cannot tell"
	better     judgement = "better"
	same       judgement = "same"
)

// Comparison compares two results of a campaign, strategy by strategy and check by check.
type Comparison struct {
	Schema  int       `json:"schema"`  // version of this format, 1
	Verdict judgement `json:"verdict"` // the most important of the strategies'
	Changed bool      `json:"changed"` // a verdict, a strategy or a check changed
	Base    result    `json:"base"`
	Head    result    `json:"head"`
	// Parameters lists the settings of the scenario that differ.
	Parameters []change         `json:"parameters,omitempty"`
	Notes      []string         `json:"notes,omitempty"` // further remarks, a sentence each
	Strategies []strategyChange `json:"strategies"`      // that both have
	Removed    []string         `json:"removed,omitempty"`
	Added      []string         `json:"added,omitempty"`
}

// result is one of the two results.
type result struct {
	Version  string            `json:"version"`
	Scenario string            `json:"scenario"`
	Hash     string            `json:"hash"`
	Seeds    results.SeedRange `json:"seeds"`
}

// change is a setting that differs. It is "" on a side that does not have it.
type change struct {
	Key  string `json:"key"`
	Base string `json:"base"`
	Head string `json:"head"`
}

// strategyChange compares one strategy, by its label.
type strategyChange struct {
	Label   string        `json:"label"`
	Verdict judgement     `json:"verdict"` // the most important of its measures and of its checks that are not harmless
	Traces  bool          `json:"traces"`  // its runs differ in at least one event
	Checks  []checkChange `json:"checks"`  // that apply to it
	// Measures lists those that became worse or better.
	Measures []measureChange `json:"measures,omitempty"`
}

// checkChange compares one check of one strategy.
type checkChange struct {
	Check   string    `json:"check"`
	Verdict judgement `json:"verdict"`
	// Harmless: the check finds no harm and the scenario does not expect it to hold or to be
	// violated, so its verdict decides nothing.
	Harmless bool    `json:"harmless,omitempty"`
	Why      string  `json:"why"`
	Base     tally   `json:"base"`
	Head     tally   `json:"head"`
	Test     string  `json:"test"` // McNemar, on the seeds that both have, or Fisher
	P        float64 `json:"p"`
	Seeds    int     `json:"seeds,omitempty"` // that McNemar's test compares
	// Broken lists the seeds that violate the check in head only, Fixed those in base
	// only.
	Broken results.SeedSet `json:"broken,omitzero"`
	Fixed  results.SeedSet `json:"fixed,omitzero"`

	shared    int  // how many seeds both sides have
	cut       bool // the lists of seeds are too short to compare them
	identical bool // the runs are the same, event by event
	changed   bool // a verdict is known to differ
	moot      bool // no verdict differs, so there is nothing to test
}

// tally counts runs.
type tally struct {
	Violating int `json:"violating"`
	Unknown   int `json:"unknown"`
	Runs      int `json:"runs"`
}

func (t tally) decided() int { return t.Runs - t.Unknown }

// indifference is the largest difference of rates that does not matter: a check is the same
// if the 95 % interval of the difference is within it.
const indifference = 0.01

// Compare compares head with base.
//
// A check is worse or better if its test is significant at 5 %, by Holm's rule over all
// checks of all strategies, so that many comparisons give no false alarm. A check is also
// worse if it is expected to hold, held in base, and is violated in head, since one run
// refutes the claim. It is the same if no seed has changed its verdict, or if the rates
// differ by less than one percent (95 % interval). Harmless checks have a verdict, by Holm's rule
// among themselves, and decide nothing.
func Compare(base, head *results.Campaign) *Comparison {
	c := &Comparison{Schema: 1, Verdict: same, Base: side(base), Head: side(head)}
	c.Parameters, c.Notes = changedParameters(base, head)
	for _, of := range []struct {
		name     string
		campaign *results.Campaign
	}{{"base", base}, {"head", head}} {
		if of.campaign.Partial {
			c.Notes = append(c.Notes, of.name+" was stopped before its end")
		}
	}
	for i := range base.Strategies {
		st := &base.Strategies[i]
		if now := find(head, st.Label); now != nil {
			c.Strategies = append(c.Strategies, compareStrategy(st, now))
		} else {
			c.Removed = append(c.Removed, st.Label)
		}
	}
	for i := range head.Strategies {
		if label := head.Strategies[i].Label; find(base, label) == nil {
			c.Added = append(c.Added, label)
		}
	}
	c.judge(head)
	return c
}

// Worse reports whether head is worse than base.
func (c *Comparison) Worse() bool { return c.Verdict == worse }

func side(c *results.Campaign) result { return result{c.Version, c.Scenario, c.Hash, c.Seeds} }

func find(c *results.Campaign, label string) *results.StrategyStats {
	i := slices.IndexFunc(c.Strategies, func(st results.StrategyStats) bool { return st.Label == label })
	if i < 0 {
		return nil
	}
	return &c.Strategies[i]
}

func compareStrategy(base, head *results.StrategyStats) strategyChange {
	sc := strategyChange{Label: base.Label, Verdict: same}
	// Other seeds have other traces.
	sc.Traces = base.Checksum != head.Checksum && base.Runs == head.Runs && base.Seeds.String() == head.Seeds.String()
	for _, check := range checksOf(base, head) {
		was, is := base.Checks[check], head.Checks[check]
		if !was.Applies && !is.Applies {
			continue
		}
		sc.Checks = append(sc.Checks, compareCheck(base, head, check))
	}
	sc.Measures = compareMeasures(base, head)
	return sc
}

// checksOf lists the checks of both sides, those of head first.
func checksOf(base, head *results.StrategyStats) []string {
	checks := slices.Clone(head.Order)
	for _, check := range base.Order {
		if !slices.Contains(checks, check) {
			checks = append(checks, check)
		}
	}
	return checks
}

// compareCheck tests one check: by McNemar's test if both sides share seeds, else by
// Fisher's.
func compareCheck(base, head *results.StrategyStats, check string) checkChange {
	c := checkChange{
		Check: check, Base: tallyOf(base, check), Head: tallyOf(head, check), Test: "Fisher",
		Harmless: base.Harmless(check) && head.Harmless(check),
	}
	was, is := c.Base, c.Head
	c.P = stats.Fisher(was.Violating, was.decided(), is.Violating, is.decided())
	c.identical = base.Checksum != "" && base.Checksum == head.Checksum && was == is
	c.changed = was.Violating*is.decided() != is.Violating*was.decided() || was.Runs == 0 != (is.Runs == 0)
	c.moot = was.Violating+is.Violating == 0 || was.Violating+is.Violating == was.decided()+is.decided()
	if was.Runs == 0 || is.Runs == 0 {
		return c
	}
	pair := results.Pair(base.VerdictsOf(check), head.VerdictsOf(check))
	if c.cut = cut(base, check) || cut(head, check); c.cut && 2*pair.Shared < min(was.Runs, is.Runs) {
		return c
	}
	if c.shared = pair.Shared; c.shared == 0 {
		return c
	}
	c.Test, c.P, c.Seeds, c.Broken, c.Fixed = "McNemar", pair.P, pair.Seeds, pair.Broken, pair.Fixed
	c.changed = !pair.Changed.IsZero()
	c.moot = pair.Broken.IsZero() && pair.Fixed.IsZero()
	return c
}

// cut reports whether a list of the seeds of a check is not complete.
func cut(st *results.StrategyStats, check string) bool {
	v := st.VerdictsOf(check)
	return v.Runs.Cut || v.Violating.Cut || v.Unknown.Cut
}

// tallyOf counts the runs of a check, 0 if the strategy does not have it.
func tallyOf(st *results.StrategyStats, check string) tally {
	stats, found := st.Checks[check]
	if !found {
		return tally{}
	}
	return tally{stats.Violating, stats.Unknown, st.Runs}
}

// judge sets the verdict of every check and strategy, and that of the comparison: the most
// important of them.
func (c *Comparison) judge(head *results.Campaign) {
	deciding, harmless := c.significant(false), c.significant(true)
	c.Changed = len(c.Added)+len(c.Removed) > 0
	for i := range c.Strategies {
		st := &c.Strategies[i]
		promises := promised(find(head, st.Label))
		for j := range st.Checks {
			check := &st.Checks[j]
			at := [2]int{i, j}
			check.Verdict, check.Why = check.judge(deciding[at] || harmless[at], slices.Contains(promises, check.Check))
			if check.Harmless {
				continue
			}
			st.Verdict = st.Verdict.or(check.Verdict)
			c.Changed = c.Changed || check.changed
		}
		for _, m := range st.Measures {
			st.Verdict = st.Verdict.or(m.Verdict)
			c.Changed = c.Changed || m.Verdict != cannotTell
		}
		c.Verdict = c.Verdict.or(st.Verdict)
	}
}

// significant tests the harmless checks or the others by Holm's rule. The keys are the indexes of
// a strategy and of its check.
func (c *Comparison) significant(harmless bool) map[[2]int]bool {
	var ps []float64
	var tested [][2]int
	for i, st := range c.Strategies {
		for j, check := range st.Checks {
			if !check.moot && check.Harmless == harmless {
				ps, tested = append(ps, check.P), append(tested, [2]int{i, j})
			}
		}
	}
	differs := map[[2]int]bool{}
	for i, significant := range stats.Significant(ps) {
		differs[tested[i]] = significant
	}
	return differs
}

// promised lists the checks that a strategy is expected to hold.
func promised(st *results.StrategyStats) []string {
	switch {
	case !st.Decides:
		return nil
	case st.Expects != nil:
		return st.Expects.Holds
	}
	return slices.DeleteFunc(slices.Clone(st.Order), checker.Advisory)
}

func (c *checkChange) judge(differs, promised bool) (verdict judgement, why string) {
	was, is := c.Base, c.Head
	rise := is.Violating*was.decided() - was.Violating*is.decided()
	if c.Test == "McNemar" {
		rise = c.Broken.Count() - c.Fixed.Count()
	}
	low, high := stats.Difference(was.Violating, was.decided(), is.Violating, is.decided())
	switch {
	case was.Runs == 0 || is.Runs == 0:
		return cannotTell, "only one side has it"
	case differs && rise > 0:
		return worse, c.test()
	case promised && was.Violating == 0 && is.Violating > 0:
		return worse, "it is expected to hold, and held; " + c.test()
	case differs:
		return better, c.test()
	case c.identical:
		return same, "the runs are the same, event by event"
	case !c.changed && c.shared > 0 && c.shared >= min(was.Runs, is.Runs):
		return same, fmt.Sprintf("no verdict of %s changed", words.Count(c.shared, "seed"))
	case was.Unknown+is.Unknown == 0 && max(-low, high) < indifference:
		return same, fmt.Sprintf("the rates differ by less than %s at 95 %%", words.Percent(indifference))
	}
	if !c.moot && stats.Significant([]float64{c.P})[0] {
		return cannotTell, c.test() + ", not significant after Holm's correction"
	}
	return cannotTell, c.test()
}

// test describes the test with its counts and its p-value.
func (c *checkChange) test() string {
	if c.Test == "McNemar" {
		return fmt.Sprintf("of %s %s broke and %s fixed (McNemar, %s)", words.Count(c.Seeds, "shared seed"),
			words.Thousands(c.Broken.Count()), words.Thousands(c.Fixed.Count()), stats.PValue(c.P))
	}
	if c.cut {
		return fmt.Sprintf("too few seeds are listed to compare them one by one (Fisher, %s)", stats.PValue(c.P))
	}
	return fmt.Sprintf("no seed to compare one by one (Fisher, %s)", stats.PValue(c.P))
}

// or returns the more important of two judgements.
func (j judgement) or(other judgement) judgement {
	if j.rank() < other.rank() {
		return j
	}
	return other
}

// rank returns 0 for the most important judgement.
func (j judgement) rank() int {
	return slices.Index([]judgement{worse, cannotTell, better, same}, j)
}
