package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Grid is a table that report.md and report.html both show.
type Grid struct {
	Title string
	Note  string // how to read it, one sentence
	Texts int    // how many columns, from the left, hold words; the others hold figures
	Head  []string
	Rows  [][]string
}

// table returns the grid for a terminal.
func (g Grid) table() words.Table {
	return words.Table{Rows: append([][]string{g.Head}, g.Rows...), Keys: g.Texts, Figures: words.Figures{From: g.Texts, To: len(g.Head)}}
}

// Grids returns the tables that follow the verdict: bounds, rates in use, metrics, terms and costs. It
// leaves out those without rows.
func Grids(c *results.Campaign) []Grid {
	var list []Grid
	for _, g := range []Grid{boundGrid(c), useGrid(c), metricsGrid(c), termsGrid(c), costGrid(c)} {
		if len(g.Rows) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// boundGrid returns the table of the scenario's bounds, and which were met.
func boundGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "Bounds", Note: "The bounds that the scenario expects, with the values measured over all runs.", Texts: 2,
		Head: []string{"strategy", "measure", "expected", "measured", "met"},
	}
	for _, st := range c.Strategies {
		for _, b := range st.Bounds {
			met := "yes"
			if !b.Met {
				met = "NO"
			}
			g.Rows = append(g.Rows, []string{Name(st), b.Measure, b.Bound, cmp.Or(b.Figure, "-"), met})
		}
	}
	return g
}

// useGrid returns the table of violations per 1,000 acquisitions and per lock-hour.
func useGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "How often in use",
		Note: "Each violation counts once, and a run can have several; \"lockquake list checks\" defines a violation of each check. A lock-hour is an hour of virtual time of one lock. " +
			"The intervals (95 %, Garwood's) are widened if violations come in groups, because one fault can cause many.",
		Texts: 2,
		Head:  []string{"strategy", "check", "violations", "per 1,000 acquisitions", "95 % interval", "per lock-hour", "95 % interval"},
	}
	var why []string // reasons why a check has no rate
	for _, st := range c.Strategies {
		for _, check := range st.Order {
			found := st.Checks[check]
			if found.Violations == 0 {
				continue
			}
			row := []string{Name(st), check, words.Thousands(int(found.Violations))}
			for _, r := range []*stats.Rate{found.PerThousand, found.PerLockHour} {
				if r == nil {
					row = append(row, "-", "-")
				} else {
					row = append(row, words.Figure(r.Rate), rateInterval(r))
				}
			}
			g.Rows = append(g.Rows, row)
			if known, _ := checker.Lookup(check); known.NoRate != "" && !slices.Contains(why, check+": "+known.NoRate) {
				why = append(why, check+": "+known.NoRate)
			}
		}
	}
	if len(why) > 0 {
		g.Note += " A dash: longer runs do not have more violations in proportion. " + strings.Join(why, "; ") + "."
	}
	return g
}

func rateInterval(r *stats.Rate) string { return words.Figure(r.Low) + " to " + words.Figure(r.High) }

// costGrid returns the table of what each strategy costs its users: requests, losses, time.
func costGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "What it cost",
		Note: "Sums over all runs. \"asked for\": jobs, which are sections, or units of work that several sections try to do. \"finished\": the work that was done and that no stale write undid. " +
			"A refusal is a request that found the lock taken. " +
			"A loss is a grant that ended before its section; \"acts after loss\": the requests of the section that the resource accepted between the loss and its notice. " +
			"\"given up\": leases that the holder gave up while the server still held the lock for it; \"needlessly\": of these, leases that were still valid or could have been renewed. " +
			"\"unavailable\": the share of the time in which a worker waited for a lock that no worker used. \"fairness\": Jain's index, 1 if all workers got the same. " +
			"\"wasted\": the share of the time in sections that had no effect.",
		Texts: 1,
		Head: []string{
			"strategy", "asked for", "finished", "refusals", "commands each", "renewals", "losses noticed", "unnoticed", "notice p50", "p99", "acts after loss", "given up", "needlessly",
			"unavailable", "fairness", "wasted",
		},
	}
	for _, st := range c.Strategies {
		if m := &st.Metrics; m.Runs > 0 {
			g.Rows = append(g.Rows, append([]string{Name(st)}, costs(m, max(1, c.Locks))...))
		}
	}
	return g
}

func costs(m *checker.Metrics, locks int) []string {
	each := "-"
	if m.Acquisitions > 0 {
		each = fmt.Sprintf("%.1f", m.CommandsEach())
	}
	return []string{
		thousands(m.Jobs), thousands(m.Finished), thousands(m.Refusals), each, thousands(m.Renewals),
		thousands(m.LossesNoticed), thousands(m.LossesUnnoticed), length(&m.Notice, m.Notice.Median()), length(&m.Notice, m.Notice.P99()),
		thousands(m.ActsAfterLoss), thousands(m.GivenUp), thousands(m.GivenUpNeedlessly),
		partOf(m.Unavailable.Float(), m.Time.Float()*float64(locks)), fmt.Sprintf("%.2f", m.Fairness), partOf(m.Wasted.Float(), m.Hold.Total.Float()),
	}
}

// Finished prints the share of a strategy's work that was done and that no stale write undid.
func Finished(st results.StrategyStats) string {
	m := &st.Metrics
	if m.Jobs == 0 {
		return "-"
	}
	return words.Percent(float64(m.Finished) / float64(m.Jobs))
}

// Wasted prints the share of the time in a strategy's sections that had no effect.
func Wasted(st results.StrategyStats) string {
	return partOf(st.Metrics.Wasted.Float(), st.Metrics.Hold.Total.Float())
}

// Remarks returns sentences that compare the strategies, or say what limits their
// figures.
func Remarks(c *results.Campaign) []string {
	var list []string
	if !HasCases(c) { // strategies under different cases cannot be compared
		for _, p := range c.Paired {
			if p.Differs {
				list = append(list, p.Says)
			}
		}
	}
	return append(list, limits(c)...)
}

// pairedBriefly says in one sentence which strategies differ from the one that all are compared with.
func pairedBriefly(c *results.Campaign) []string {
	var less, more []string
	for _, p := range c.Paired {
		switch {
		case !p.Differs:
		case p.Only > p.BaseOnly:
			more = append(more, words.Plain(p.Label, 60))
		default:
			less = append(less, words.Plain(p.Label, 60))
		}
	}
	if HasCases(c) || less == nil && more == nil {
		return nil
	}
	var parts []string
	if more != nil {
		parts = append(parts, "clearly more failures: "+strings.Join(more, ", "))
	}
	if less != nil {
		parts = append(parts, "clearly fewer: "+strings.Join(less, ", "))
	}
	return []string{fmt.Sprintf("compared with %s seed by seed (McNemar's test), %s", words.Plain(c.Paired[0].Base, 60), strings.Join(parts, "; "))}
}

// limits returns sentences about what limits the figures.
func limits(c *results.Campaign) []string {
	list := append(unread(c), misfits(c)...)
	if c.Summed {
		list = append(list, "more than a million runs: the report has their sums, and of the seeds that violate a check the 1,000 lowest; it keeps no single run")
	}
	if HasCases(c) {
		return list
	}
	list = append(list, uncounted(c)...)
	for _, st := range c.Strategies {
		if n := st.Metrics.GivenUpNeedlessly; n > 0 {
			were := "were"
			if n == 1 {
				were = "was"
			}
			list = append(list, fmt.Sprintf("%s gave up %s that %s still good, or that there was time to renew", st.Label, words.Counted(int(n), "lease"), were))
		}
		if half := (st.High - st.Low) / 2; c.Until > 0 && half > c.Until {
			list = append(list, fmt.Sprintf("%s: the interval is still ± %s %% after %s runs, not ± %s %%", st.Label, words.Figure(100*half), words.Thousands(st.Runs), words.Figure(100*c.Until)))
		}
	}
	return list
}

// uncounted returns a sentence that names the checks that do not decide and find harm in more runs than the
// rate counts. The first lines and the table of checks have them.
func uncounted(c *results.Campaign) []string {
	var also []string
	for _, st := range c.Strategies {
		for _, check := range harmful(st) {
			if n := st.Checks[check].Violating; n > st.Violating {
				also = append(also, fmt.Sprintf("%s violated %s in %s", words.Plain(st.Label, 60), check, words.Counted(n, "run")))
			}
		}
	}
	if also == nil {
		return nil
	}
	return []string{"not in the rate of violating runs, since expect: does not name the check: " + strings.Join(also, ", ")}
}

// unread returns a sentence for each lock whose holders could not be read from its server,
// with the remedy.
func unread(c *results.Campaign) []string {
	var list, seen []string
	for _, st := range c.Strategies {
		if st.Unread == "" || slices.Contains(seen, st.Name) {
			continue
		}
		seen = append(seen, st.Name)
		list = append(list, fmt.Sprintf("%s: nothing tells who holds its lock (%s), so recovery, told, ownership, needless-loss and load do not judge it; "+
			"lock.Entry.Holders can say it, see docs/your-own-lock.md", st.Name, st.Unread))
	}
	return list
}

// misfits returns a sentence for each lock of the user's whose fencing tokens do not fit its resource, with the remedy.
func misfits(c *results.Campaign) []string {
	var list, seen []string
	for _, st := range c.Strategies {
		said := st.Name + string(st.Tokens)
		if st.Tokens == "" || slices.Contains(seen, said) {
			continue
		}
		seen = append(seen, said)
		switch st.Tokens {
		case results.TokensIgnored:
			list = append(list, st.Name+" hands out fencing tokens, and its resource checks none; --set resource.fence=reads-writes makes it check them")
		case results.TokensMissing:
			list = append(list, fmt.Sprintf("%s hands out no fencing token, and its resource (fence: %s) refuses work without one; --set resource.fence=off makes it accept the work",
				st.Name, st.Fence))
		}
	}
	return list
}
