package tables

import (
	"bytes"

	"lockquake/checker"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// termsGrid returns the table of who considered itself the holder of each lock, such as the leader.
func termsGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "Who held the lock",
		Note: "Of all runs. A term is the time for which a section, such as that of a leader, considered itself the holder. " +
			"Two holders is the time in which two sections did so at once, and acts of two are the operations that the resource accepted of one of them meanwhile. " +
			"No holder is the share of the time in which no section did so, and how long the longest such time was.",
		Texts: 1,
		Head:  []string{"strategy", "terms", "tenure p50", "longest", "two holders", "longest", "acts of two", "no holder", "longest"},
	}
	for _, st := range c.Strategies {
		m := &st.Metrics
		if m.Tenure.N == 0 {
			continue
		}
		g.Rows = append(g.Rows, []string{
			Name(st), thousands(m.Tenure.N), length(&m.Tenure, m.Tenure.Median()), length(&m.Tenure, m.Tenure.Max),
			inAll(&m.TwoHolders), length(&m.TwoHolders, m.TwoHolders.Max), thousands(m.ActsOfTwo),
			partOf(m.NoHolder.Total.Float(), m.Time.Float()*float64(max(1, c.Locks))), length(&m.NoHolder, m.NoHolder.Max),
		})
	}
	return g
}

// writeTerms prints the table of who considered itself the holder of each lock.
func writeTerms(b *bytes.Buffer, on words.Screen, c *results.Campaign) {
	g := termsGrid(c)
	if len(g.Rows) == 0 {
		return
	}
	b.WriteByte('\n')
	on.Table(b, g.table())
	const note = "of those that considered themselves the holder; two holders: for how long two did; acts of two: what the resource accepted of one of them meanwhile"
	on.Prose(b, "", "", "", note)
}

// partOf prints a part of a time, or a dash if that is none.
func partOf(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return words.Percent(part / whole)
}

// inAll prints the sum of durations.
func inAll(s *checker.Spread) string {
	d, fits := s.Total.Duration()
	if !fits {
		return "> 292 years"
	}
	return length(s, d)
}
