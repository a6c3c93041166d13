package tables

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Options select what [Campaign] prints.
type Options struct {
	Screen  words.Screen
	Metrics bool   // print the metrics of each lock
	Part    string // the shard that this is, as 3/16, which has no verdict of its own; "" for a whole campaign
	Report  string // path of the report, for the last line; "" for none
}

// Campaign prints a campaign for a terminal: what happened, whether that is expected, the tables, and
// the assumptions. For a campaign with cases the first table is a map of them.
func Campaign(w io.Writer, c *results.Campaign, o Options) error {
	on := o.Screen
	var b bytes.Buffer
	title := fmt.Sprintf("%s, %s", words.Plain(c.Scenario, 60), Seeds(c))
	if c.Partial {
		title += ", stopped before the end"
	}
	on.Paint(&b, words.Bold, title)
	b.WriteByte('\n')
	WriteSentences(&b, on, Verdict(c))
	b.WriteByte('\n')
	switch {
	case o.Part == "":
		WriteSentences(&b, on, Expectations(c))
	case c.Partial:
		on.Paint(&b, words.Bold, fmt.Sprintf("shard %s is not done; run it again with --resume", o.Part))
	default:
		on.Paint(&b, words.Bold, fmt.Sprintf("shard %s is done; %s merge decides, once all are", o.Part, cmp.Or(c.Program, "lockquake")))
	}
	if token := firstFailure(c); token != "" {
		fmt.Fprintf(&b, "first failing run: %s\n", words.ReplayLine(c.Program, token))
	}
	b.WriteByte('\n')
	shown := c.Strategies
	if HasCases(c) {
		writeCases(&b, on, CaseGrid(c))
		if shown = unexpected(c); len(shown) > 0 {
			b.WriteByte('\n')
		}
	}
	alarming := func(row int) bool { return OutcomeOf(shown[row-1]) == Unexpected }
	writeRates(&b, on, shown, alarming)
	writeChecks(&b, on, shown, alarming)
	if o.Metrics {
		writeMetrics(&b, on, c)
		writeTerms(&b, on, c)
	}
	writeBounds(&b, on, c)
	for i, remark := range slices.Concat(pairedBriefly(c), limits(c)) {
		if i == 0 {
			b.WriteByte('\n')
		}
		on.Prose(&b, "", "", "  ", words.Plain(remark, 400))
	}
	writeFaults(&b, on, c)
	b.WriteByte('\n')
	on.Prose(&b, "", "", "  ", "assumed: "+strings.Join(Assumed(c), "; "))
	if o.Report != "" {
		fmt.Fprintf(&b, "\nreport: %s\n", o.Report)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeRates prints the table of rates, if there are strategies to show.
func writeRates(b *bytes.Buffer, on words.Screen, shown []results.StrategyStats, alarming func(row int) bool) {
	if len(shown) == 0 {
		return
	}
	rows := [][]string{{"strategy", "fence", "violating runs", "rate", "95 % interval", "finished", "as expected"}}
	for _, st := range shown {
		rows = append(rows, []string{
			words.Plain(st.Label, 60), words.Plain(st.Fence, 30), words.Thousands(st.Violating) + " of " + words.Thousands(st.Runs), words.Percent(st.Rate), IntervalOf(st),
			Finished(st), OutcomeOf(st).Cell(),
		})
	}
	on.Table(b, words.Table{Rows: rows, Figures: words.Figures{From: 2, To: 6}, Least: []int{1, 2, 4}, Alarming: alarming})
}

// writeChecks prints in how many runs of each strategy each check was violated. A check
// that no strategy violated has no column.
func writeChecks(b *bytes.Buffer, on words.Screen, shown []results.StrategyStats, alarming func(row int) bool) {
	head := []string{"runs that violate"}
	for _, st := range shown {
		for _, check := range st.Order {
			if st.Checks[check].Violating > 0 && !slices.Contains(head, check) {
				head = append(head, check)
			}
		}
	}
	if len(head) == 1 {
		return
	}
	titles := slices.Clone(head)
	for i, check := range head[1:] {
		harm := func(st results.StrategyStats) bool { return st.Checks[check].Violating > 0 && !st.Harmless(check) }
		if !slices.ContainsFunc(shown, harm) {
			titles[i+1] += " (harmless)"
		}
	}
	rows := [][]string{titles}
	for _, st := range shown {
		row := []string{words.Plain(st.Label, 60)}
		for _, check := range head[1:] {
			cell := "-" // nothing to judge
			if stats := st.Checks[check]; stats.Applies {
				cell = words.Thousands(stats.Violating)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	on.Table(b, words.Table{Rows: rows, Figures: words.Figures{From: 1, To: len(head)}, Alarming: alarming})
}

// writeBounds prints which bounds of the scenario were met, if it has any.
func writeBounds(b *bytes.Buffer, on words.Screen, c *results.Campaign) {
	g := boundGrid(c)
	if len(g.Rows) == 0 {
		return
	}
	t := g.table()
	t.Figures.To = 4
	t.Alarming = func(row int) bool { return t.Rows[row][4] == "NO" }
	b.WriteByte('\n')
	on.Table(b, t)
}

// writeFaults prints how many faults there were.
func writeFaults(b *bytes.Buffer, on words.Screen, c *results.Campaign) {
	rows := [][]string{{"fault", "planned", "injected", "hit"}}
	for _, f := range c.Faults {
		if f.Case != "" && f.Planned == 0 {
			continue // a case that was not run
		}
		rows = append(rows, []string{words.Plain(f.Name(), 100), thousands(f.Planned), thousands(f.Happened), thousands(f.Hit)})
	}
	if len(rows) > 1 {
		b.WriteByte('\n')
		on.Table(b, words.Table{Rows: rows, Figures: words.Figures{From: 1, To: len(rows[0])}})
		on.Prose(b, words.Faint, "", "", "hit: its target had a section, a lease or a call in progress")
	}
}

// writeCases prints the map of the cases. Its heads are the names of the classes of faults, without their letters.
// It leaves out the cases without a class if no fault hit anything in them, as in a case without faults.
func writeCases(b *bytes.Buffer, on words.Screen, g Grid) {
	rows := make([][]string, 1+len(g.Rows))
	for column, head := range g.Head {
		_, name, lettered := strings.Cut(head, " ")
		if !lettered {
			name = head
		}
		if head == noClass && !slices.ContainsFunc(g.Rows, func(row []string) bool { return row[column] != "-" }) {
			continue
		}
		rows[0] = append(rows[0], name)
		for i, row := range g.Rows {
			rows[i+1] = append(rows[i+1], row[column])
		}
	}
	on.Table(b, words.Table{Rows: rows, Alarming: func(row int) bool { return slices.Contains(rows[row], broken) }})
	on.Prose(b, words.Faint, "", "", g.Note)
}

// WriteSentences prints sentences for a terminal, at most as many as a screen has room for.
func WriteSentences(b *bytes.Buffer, on words.Screen, list []Sentence) {
	shown, more := Shortened(list)
	for _, s := range shown {
		on.Prose(b, s.Grade.style(), "", "  ", words.Plain(s.Text, 400))
	}
	if more > 0 {
		on.Paint(b, words.Faint, fmt.Sprintf("and %d more", more))
	}
}

// style returns how a terminal shows a sentence. What is as expected is quiet.
func (g Grade) style() words.Style {
	switch g {
	case Failed:
		return words.Alarm
	case Flawed, Open:
		return words.Bold
	case Met:
		return words.Faint
	case Held:
	}
	return ""
}
