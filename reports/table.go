package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/scenarios/results"
)

// lineWidth is how many characters a line of prose has at most on a terminal.
const lineWidth = 100

// Table prints what came out of a campaign: a row for each strategy, and then
// whether that was expected.
func Table(w io.Writer, c *results.Campaign, o Options) error {
	var b bytes.Buffer
	title := fmt.Sprintf("%s, %s", plain(c.Scenario, 60), seeds(c))
	if c.Partial {
		title += ", stopped before the end"
	}
	paint(&b, o, bold, title)
	b.WriteByte('\n')
	shown := c.Strategies
	if hasCases(c) {
		writeGrid(&b, o, caseGrid(c))
		shown = surprising(c)
	}
	rows := [][]string{{"strategy", "fence", "violating runs", "rate", "95 % interval", "finished", "as expected"}}
	for _, st := range shown {
		rows = append(rows, []string{
			name(st), plain(st.Fence, 30), thousands(st.Violating) + " of " + thousands(st.Runs), percent(st.Rate), intervalOf(st),
			finished(st), outcomeOf(st).cell(),
		})
	}
	alarming := func(row int) bool { return outcomeOf(shown[row-1]) == unexpected }
	if len(shown) > 0 {
		writeTable(&b, o, rows, figures{2, 6}, alarming)
	}
	writeChecks(&b, o, shown, alarming)
	writeBounds(&b, o, c)
	for i, remark := range remarks(c) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", strings.Join(wrap(plain(remark, 400), lineWidth-2), "\n  "))
	}
	for _, f := range c.Faults {
		if f.Case != "" && f.Planned == 0 {
			continue // a case that was not run
		}
		fmt.Fprintf(&b, "\nfault %s: planned %s, injected %s, hit %s",
			faultName(f), thousands(int(f.Planned)), thousands(int(f.Happened)), thousands(int(f.Bit)))
	}
	if len(c.Faults) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%s\n\n", strings.Join(wrap("assumed: "+strings.Join(assumed(c), "; "), lineWidth-2), "\n  "))
	if o.Part != "" {
		paint(&b, o, bold, fmt.Sprintf("shard %s is done; %s merge decides, once all are", o.Part, cmp.Or(c.Program, "lockquake")))
	} else {
		paint(&b, o, verdictColour(c), c.Summary())
	}
	if o.Report != "" {
		fmt.Fprintf(&b, "report: %s\n", o.Report)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// faultName names an entry of the scenario's faults by its number, its case if it
// has one, and its kind.
func faultName(f results.FaultStats) string {
	if f.Case != "" {
		return fmt.Sprintf("%d, %s (%s)", f.Spec+1, plain(f.Case, 60), f.Kind)
	}
	return fmt.Sprintf("%d (%s)", f.Spec+1, f.Kind)
}

// writeChecks prints in how many runs of each strategy each check was violated.
// A check that nobody violated has no column.
func writeChecks(b *bytes.Buffer, o Options, shown []results.StrategyStats, alarming func(row int) bool) {
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
	rows := [][]string{head}
	for _, st := range shown {
		row := []string{name(st)}
		for _, check := range head[1:] {
			cell := "-" // nothing to judge
			if stats := st.Checks[check]; stats.Applies {
				cell = thousands(stats.Violating)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeTable(b, o, rows, figures{1, len(head)}, alarming)
}

// writeBounds prints what came of the bounds of the scenario, if it has any.
func writeBounds(b *bytes.Buffer, o Options, c *results.Campaign) {
	g := boundGrid(c)
	if len(g.Rows) == 0 {
		return
	}
	rows := append([][]string{g.Head}, g.Rows...)
	b.WriteByte('\n')
	writeTable(b, o, rows, figures{2, 4}, func(row int) bool { return rows[row][4] == "NO" })
}

// writeGrid prints a table of words. Of each heading after the first only the
// first word is above its column, and the whole below all.
func writeGrid(b *bytes.Buffer, o Options, g grid) {
	head := slices.Clone(g.Head)
	for i := 1; i < len(head); i++ {
		head[i], _, _ = strings.Cut(head[i], " ")
	}
	rows := append([][]string{head}, g.Rows...)
	writeTable(b, o, rows, figures{}, func(row int) bool { return slices.Contains(rows[row], broken) })
	fmt.Fprintf(b, "\n%s\n%s\n", strings.Join(g.Head[1:], ", "), strings.Join(wrap(g.Note, 110), "\n"))
}

func verdictColour(c *results.Campaign) string {
	if c.Verdict == results.Pass {
		return bold
	}
	return alarm
}
