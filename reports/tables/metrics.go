package tables

import (
	"bytes"
	"time"

	"lockquake/checker"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// metric is a column of the table of metrics.
type metric struct {
	head string
	cell func(m *checker.Metrics, locks int) string
	// short means that the table of a terminal has the column too.
	short bool
}

// metrics lists the columns.
func metrics() []metric {
	number := func(head string, of func(*checker.Metrics) int64) metric {
		return metric{head, func(m *checker.Metrics, _ int) string { return thousands(of(m)) }, true}
	}
	length := func(head string, of func(*checker.Metrics) (*checker.Spread, time.Duration)) metric {
		return metric{head, func(m *checker.Metrics, _ int) string { return length(of(m)) }, false}
	}
	short := func(c metric) metric { c.short = true; return c }
	long := func(c metric) metric { c.short = false; return c }
	p99 := func(head string, of func(*checker.Metrics) *checker.Spread) metric {
		return length(head, func(m *checker.Metrics) (*checker.Spread, time.Duration) { return of(m), of(m).P99() })
	}
	quantiles := func(name string, of func(*checker.Metrics) *checker.Spread) []metric {
		return []metric{
			short(length(name+" p50", func(m *checker.Metrics) (*checker.Spread, time.Duration) { return of(m), of(m).Median() })),
			length("p90", func(m *checker.Metrics) (*checker.Spread, time.Duration) { return of(m), of(m).P90() }),
			short(p99("p99", of)),
			length("longest", func(m *checker.Metrics) (*checker.Spread, time.Duration) { return of(m), of(m).Max }),
		}
	}
	refused := func(m *checker.Metrics) *checker.Spread { return &m.Refused }
	timedOut := func(m *checker.Metrics) *checker.Spread { return &m.TimedOut }
	failed := func(m *checker.Metrics) *checker.Spread { return &m.Failed }
	released := func(m *checker.Metrics) *checker.Spread { return &m.Released }
	list := []metric{
		long(number("sections", func(m *checker.Metrics) int64 { return m.Calls })),
		number("acquired", func(m *checker.Metrics) int64 { return m.Acquisitions }),
		number("refused", func(m *checker.Metrics) int64 { return m.Refused.N }),
		p99("after p99", refused),
		number("timed out", func(m *checker.Metrics) int64 { return m.TimedOut.N }),
		p99("after p99", timedOut),
		number("failed", func(m *checker.Metrics) int64 { return m.Failed.N }),
		p99("after p99", failed),
		{"contended", func(m *checker.Metrics, _ int) string { return contention(m) }, true},
	}
	list = append(list, quantiles("wait", func(m *checker.Metrics) *checker.Spread { return &m.Wait })...)
	list = append(list, quantiles("hold", func(m *checker.Metrics) *checker.Spread { return &m.Hold })...)
	return append(
		list,
		long(number("released", func(m *checker.Metrics) int64 { return m.Released.N })),
		p99("within p99", released),
		number("release failed", func(m *checker.Metrics) int64 { return m.ReleaseFailed.N }),
		number("lost", (*checker.Metrics).Losses),
		metric{"waiting, mean", waitingMean, false},
		long(number("most", func(m *checker.Metrics) int64 { return m.MostWaiting })),
	)
}

// metricsGrid returns the table of what a monitor of the callers of each lock would show.
func metricsGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "The lock as a monitor sees it",
		Note: "Sums over all runs, in virtual time. \"acquired\": sections that were let in. The other sections were refused (answered \"not obtained\" without waiting), " +
			"timed out (waited without success), failed (ended with another error), crashed, or still waited at the end. \"after\": from the call to such an answer. " +
			"\"contended\": the share of the sections that found the lock taken. \"wait\": from the call to the entry; \"hold\": from the entry to the end of the work. " +
			"\"within\": from the end of the work to the answer. \"release failed\": releases that were answered with an error of the lock. \"lost\": sections whose grant ended while they were inside. " +
			"\"waiting\": the number of workers that waited for one lock at once. Quantiles are precise to 1.6 %. The page \"Metrics\" of the reference defines each figure.",
		Texts: 1,
		Head:  []string{"strategy"},
	}
	columns := metrics()
	for _, column := range columns {
		g.Head = append(g.Head, column.head)
	}
	for _, st := range c.Strategies {
		if st.Metrics.Runs == 0 {
			continue
		}
		row := []string{Name(st)}
		for _, column := range columns {
			row = append(row, column.cell(&st.Metrics, max(1, c.Locks)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// writeMetrics prints the most important metrics of each strategy.
func writeMetrics(b *bytes.Buffer, on words.Screen, c *results.Campaign) {
	g := metricsGrid(c)
	rows := make([][]string, 1+len(g.Rows))
	for i, row := range append([][]string{g.Head}, g.Rows...) {
		rows[i] = row[:1:1]
		for j, column := range metrics() {
			if column.short {
				rows[i] = append(rows[i], row[j+1])
			}
		}
	}
	b.WriteByte('\n')
	on.Table(b, words.Table{Rows: rows, Figures: words.Figures{From: 1, To: len(rows[0])}})
	on.Prose(b, "", "", "", "refused without waiting; timed out after it; contended: found the lock taken")
}

func thousands(n int64) string { return words.Thousands(int(n)) }

// length prints a duration of a spread, or a dash if it has none.
func length(s *checker.Spread, d time.Duration) string {
	if s.N == 0 {
		return "-"
	}
	return words.Rough(d)
}

func contention(m *checker.Metrics) string {
	if m.ContendedOf == 0 {
		return "-" // the holders cannot be read
	}
	return words.Percent(float64(m.Contended) / float64(m.ContendedOf))
}

func waitingMean(m *checker.Metrics, locks int) string {
	if m.Time == (checker.Sum{}) {
		return "-"
	}
	return words.Figure(m.Waiting.Float() / (m.Time.Float() * float64(locks)))
}
