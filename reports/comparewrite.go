package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// JSON prints the comparison as one document.
func (c *Comparison) JSON(w io.Writer) error { return results.WriteJSON(w, c) }

// Table prints the comparison for a terminal. It only counts the checks that were violated
// in neither result.
func (c *Comparison) Table(w io.Writer, color bool) error {
	var b bytes.Buffer
	style := words.Bold
	if c.Worse() {
		style = words.Alarm
	}
	words.PaintWrapped(&b, color, style, c.title(func(s string) string { return words.Plain(s, 60) })+": "+c.headline())
	tables.WriteSentences(&b, color, c.alsoWorse())
	for _, line := range c.facts(func(s string) string { return words.Plain(s, 200) }) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	b.WriteByte('\n')
	rows := [][]string{{"strategy", "check or measure", "verdict", "base", "head", "why"}}
	quiet := 0
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict == same && check.Base.Violating+check.Head.Violating+check.Base.Unknown+check.Head.Unknown == 0 {
				quiet++
				continue
			}
			rows = append(rows, []string{
				words.Plain(st.Label, 60), words.Plain(check.Check, 60), check.verdict(), check.Base.String(), check.Head.String(), check.Why,
			})
		}
		for _, m := range st.Measures {
			rows = append(rows, []string{words.Plain(st.Label, 60), m.Measure, string(m.Verdict), m.Base, m.Head, m.Why})
		}
	}
	if len(rows) > 1 {
		words.WriteTable(&b, color, rows, words.Figures{}, nil)
	}
	if quiet > 0 {
		if len(rows) > 1 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "violated neither then nor now: %s\n", words.Count(quiet, "check"))
	}
	if lines := c.seedLines(func(s string) string { return words.Plain(s, 60) }); len(lines) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(lines, "\n"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Markdown prints the comparison as a comment on a pull request: a table of the
// differences, and a sentence about the rest.
func (c *Comparison) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### lockquake, %s: %s\n\n", c.title(cell), cell(c.headline()))
	if also := c.alsoWorse(); len(also) > 0 {
		markdownSentences(&b, also, "- ", "\n")
	}
	for _, line := range c.facts(cell) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteByte('\n')
	alike, table := 0, false
	row := func(label, what, verdict, base, head, why string) {
		if !table {
			b.WriteString("| strategy | check or measure | verdict | base | head | why |\n|---|---|---|---:|---:|---|\n")
			table = true
		}
		if verdict == string(worse) {
			verdict = "**worse**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", cell(label), cell(what), verdict, base, head, cell(why))
	}
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict == same {
				alike++
				continue
			}
			row(st.Label, check.Check, check.verdict(), check.Base.String(), check.Head.String(), check.Why)
		}
		for _, m := range st.Measures {
			row(st.Label, m.Measure, string(m.Verdict), m.Base, m.Head, m.Why)
		}
	}
	if table {
		b.WriteByte('\n')
	}
	if alike > 0 {
		fmt.Fprintf(&b, "%s the same.\n", strings.Replace(words.Count(alike, "check")+" are", "1 check are", "1 check is", 1))
	}
	if lines := c.seedLines(cell); len(lines) > 0 {
		b.WriteString("\n<details><summary>Seeds that changed their verdict</summary>\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", line)
		}
		b.WriteString("\n</details>\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// title names the scenario of head, and that of base if it is another.
func (c *Comparison) title(clean func(string) string) string {
	if c.Base.Scenario != c.Head.Scenario {
		return fmt.Sprintf("%s against another scenario, %s", clean(c.Head.Scenario), clean(c.Base.Scenario))
	}
	return clean(c.Head.Scenario) + " against base"
}

// facts returns lines about how the two results differ: version, seeds, settings,
// strategies and traces.
func (c *Comparison) facts(clean func(string) string) []string {
	var lines []string
	if c.Base.Version != c.Head.Version {
		lines = append(lines, fmt.Sprintf("version: %s → %s", clean(c.Base.Version), clean(c.Head.Version)))
	}
	if c.Base.Seeds != c.Head.Seeds {
		lines = append(lines, fmt.Sprintf("seeds: %d to %d → %d to %d", c.Base.Seeds.First, c.Base.Seeds.Last, c.Head.Seeds.First, c.Head.Seeds.Last))
	}
	for _, p := range c.Parameters {
		switch {
		case p.Head == "":
			lines = append(lines, fmt.Sprintf("%s: %s is gone", clean(p.Key), clean(p.Base)))
		case p.Base == "":
			lines = append(lines, fmt.Sprintf("%s: %s is new", clean(p.Key), clean(p.Head)))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s → %s", clean(p.Key), clean(p.Base), clean(p.Head)))
		}
	}
	for _, list := range []struct {
		labels []string
		what   string
	}{{c.Removed, "in base only"}, {c.Added, "in head only"}, {c.traces(), "runs differ, event by event"}} {
		var names []string
		for _, label := range list.labels {
			names = append(names, clean(label))
		}
		if len(names) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", list.what, strings.Join(names, ", ")))
		}
	}
	return append(lines, c.Notes...)
}

// traces lists the strategies whose runs differ.
func (c *Comparison) traces() []string {
	var labels []string
	for _, st := range c.Strategies {
		if st.Traces {
			labels = append(labels, st.Label)
		}
	}
	return labels
}

// seedLines lists the seeds that changed their verdict, at most 12 ranges for a check.
func (c *Comparison) seedLines(clean func(string) string) []string {
	const most = 12
	var lines []string
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			for _, list := range []struct {
				seeds results.SeedSet
				what  string
			}{{check.Broken, "newly violated"}, {check.Fixed, "no longer violated"}} {
				if n := list.seeds.Count(); n > 0 {
					lines = append(lines, fmt.Sprintf("%s, %s: %s with %s: %s", clean(st.Label), clean(check.Check), list.what,
						words.Count(n, "seed"), strings.ReplaceAll(list.seeds.First(most).String(), ",", ", ")))
				}
			}
		}
	}
	return lines
}

// verdict prints the verdict, and whether it decides nothing.
func (c *checkChange) verdict() string {
	if c.Harmless && c.Verdict != same {
		return string(c.Verdict) + " (harmless)"
	}
	return string(c.Verdict)
}

// String prints the share of violating runs among the decided ones.
func (t tally) String() string {
	if t.Runs == 0 {
		return "-"
	}
	text := words.Thousands(t.Violating) + " of " + words.Thousands(t.decided())
	if t.decided() > 0 {
		text = words.Percent(float64(t.Violating)/float64(t.decided())) + ", " + text
	}
	if t.Unknown > 0 {
		text += ", " + words.Thousands(t.Unknown) + " unknown"
	}
	return text
}
