package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// JSON prints the comparison as one document.
func (c *Comparison) JSON(w io.Writer) error { return results.WriteJSON(w, c) }

// Table prints the comparison for a terminal: what changed or may have changed, the worst first, with the
// test behind it. It only counts the checks that are the same and those that find no harm.
func (c *Comparison) Table(w io.Writer, on words.Screen) error {
	var b bytes.Buffer
	plain := func(s string) string { return words.Plain(s, 200) }
	style := words.Bold
	if c.Worse() {
		style = words.Alarm
	}
	on.Prose(&b, style, "", "  ", c.title(plain)+": "+c.headline())
	tables.WriteSentences(&b, on, c.alsoWorse())
	for _, line := range c.facts(plain) {
		on.Prose(&b, "", "", "  ", line)
	}
	found, alike := c.findings(plain)
	slices.SortStableFunc(found, func(a, b finding) int { return a.verdict.rank() - b.verdict.rank() })
	harmless := 0
	for _, f := range found {
		if f.harmless {
			harmless += len(f.about)
			continue
		}
		style := words.Style("")
		if f.verdict == worse {
			style = words.Alarm
		}
		b.WriteByte('\n')
		on.Prose(&b, style, "", "  ", fmt.Sprintf("%s: %s (%s), %s → %s", f.verdict, f.label, f.what(), f.base, f.head))
		for _, line := range append([]string{f.why}, f.seeds...) {
			on.Prose(&b, "", "  ", "  ", line)
		}
	}
	b.WriteByte('\n')
	if alike > 0 {
		fmt.Fprintf(&b, "the same: %s\n", words.Count(alike, "check"))
	}
	if harmless > 0 {
		fmt.Fprintf(&b, "changed or may have, without harm: %s (--format markdown has all)\n", words.Count(harmless, "check"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// finding is a difference of a strategy in checks whose figures are equal, or in a measure.
type finding struct {
	verdict    judgement
	harmless   bool
	label      string
	about      []string // the checks or the measure
	base, head string
	why        string
	seeds      []string // lines about the seeds that changed their verdict
}

// what names the checks or the measure.
func (f finding) what() string { return strings.Join(f.about, ", ") }

// findings lists the differences by strategy, and counts the checks that are the same.
func (c *Comparison) findings(clean func(string) string) (list []finding, alike int) {
	for _, st := range c.Strategies {
		first := len(list)
		for _, check := range st.Checks {
			if check.Verdict == same {
				alike++
				continue
			}
			f := finding{
				check.Verdict, check.Harmless, clean(st.Label),
				[]string{clean(check.Check)},
				check.Base.String(), check.Head.String(), check.Why, check.seeds(),
			}
			if i := slices.IndexFunc(list[first:], f.equals); i >= 0 {
				list[first+i].about = append(list[first+i].about, f.about...)
			} else {
				list = append(list, f)
			}
		}
		for _, m := range st.Measures {
			list = append(list, finding{m.Verdict, false, clean(st.Label), []string{clean(m.Measure)}, m.Base, m.Head, m.Why, nil})
		}
	}
	return list, alike
}

// equals reports whether two findings differ only in what they are about.
func (f finding) equals(other finding) bool {
	return f.verdict == other.verdict && f.harmless == other.harmless && f.label == other.label &&
		f.base == other.base && f.head == other.head && f.why == other.why && slices.Equal(f.seeds, other.seeds)
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
	found, alike := c.findings(cell)
	var seeds []string
	for i, f := range found {
		if i == 0 {
			b.WriteString("| strategy | check or measure | verdict | base | head | why |\n|---|---|---|---:|---:|---|\n")
		}
		verdict := string(f.verdict)
		switch {
		case f.harmless:
			verdict += " (harmless)"
		case f.verdict == worse:
			verdict = "**worse**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", f.label, f.what(), verdict, f.base, f.head, cell(f.why))
		for _, line := range f.seeds {
			seeds = append(seeds, fmt.Sprintf("- %s, %s: %s\n", f.label, f.what(), line))
		}
	}
	if len(found) > 0 {
		b.WriteByte('\n')
	}
	if alike > 0 {
		fmt.Fprintf(&b, "%s the same.\n", strings.Replace(words.Count(alike, "check")+" are", "1 check are", "1 check is", 1))
	}
	if len(seeds) > 0 {
		b.WriteString("\n<details><summary>Seeds that changed their verdict</summary>\n\n" + strings.Join(seeds, "") + "\n</details>\n")
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

// seeds lists the seeds that changed their verdict, at most 12 ranges each way.
func (c *checkChange) seeds() []string {
	const most = 12
	var lines []string
	for _, list := range []struct {
		seeds results.SeedSet
		what  string
	}{{c.Broken, "newly violated"}, {c.Fixed, "no longer violated"}} {
		if n := list.seeds.Count(); n > 0 {
			lines = append(lines, fmt.Sprintf("%s with %s: %s", list.what, words.Count(n, "seed"), strings.ReplaceAll(list.seeds.First(most).String(), ",", ", ")))
		}
	}
	return lines
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
