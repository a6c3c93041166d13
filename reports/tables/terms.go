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
		Note: "Sums over all runs. A term is the time for which a section, such as that of a leader, considered itself the holder. " +
			"\"two holders\": the time in which two sections did so at once; \"acts of two\": the operations of one of them that the resource accepted in that time. " +
			"\"no holder\": the share of the time in which no section did so, and the longest such time.",
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
	const note = "term: the time for which a section considered itself the holder; two holders: the time in which two did; acts of two: operations of one of them that the resource accepted in that time"
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
