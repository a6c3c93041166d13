package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// markdown writes report.md. It begins with what happened, and whether that is expected.
func markdown(c *results.Campaign) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n\n", words.Plain(c.Scenario, 60), tables.Seeds(c))
	if c.Partial {
		b.WriteString("**Stopped before the end: the figures are of the runs that were done.**\n\n")
	}
	markdownSentences(&b, tables.Verdict(c), "- ", "\n")
	markdownSentences(&b, tables.Expectations(c), "", "\n\n")
	if c.About != "" {
		fmt.Fprintf(&b, "%s", cell(c.About))
		if c.Source != "" {
			fmt.Fprintf(&b, " (%s)", cell(c.Source))
		}
		b.WriteString("\n\n")
	}
	if tables.HasCases(c) {
		markdownGrid(&b, tables.CaseGrid(c))
		b.WriteString("## Cases in which something was violated\n\n")
	}
	markdownTable(&b, tables.Notable(c))
	for i, remark := range tables.Remarks(c) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s\n", cell(remark))
	}
	fmt.Fprintf(&b, "\n![rate of each strategy with its interval](rates.png)\n\n")
	for _, g := range tables.Grids(c) {
		markdownGrid(&b, g)
	}
	markdownFaults(&b, c)
	markdownFailures(&b, c)
	if others := otherGrid(c); len(others.Rows) > 0 {
		markdownGrid(&b, others)
	}
	b.WriteString(howToRead(c))
	return b.Bytes()
}

// markdownSentences prints sentences, as items of a list or as paragraphs. Failures are bold.
func markdownSentences(b *bytes.Buffer, list []tables.Sentence, before, after string) {
	shown, more := tables.Shortened(list)
	for _, s := range shown {
		text := cell(s.Text)
		if s.Grade == tables.Failed {
			text = "**" + text + "**"
		}
		b.WriteString(before + text + after)
	}
	if more > 0 {
		fmt.Fprintf(b, "%sand %d more%s", before, more, after)
	}
	if before != "" {
		b.WriteByte('\n')
	}
}

// markdownFailures prints the story of each strategy's first failure, and lists the first failures of
// its checks, a line for each run. It leaves out what did no harm.
func markdownFailures(b *bytes.Buffer, c *results.Campaign) {
	const title = "## First failures\n\n"
	none := true
	for _, st := range failed(c) {
		failures := slices.DeleteFunc(st.Failures, func(f results.Failure) bool { return st.Harmless(f.Check) })
		if len(failures) == 0 {
			continue
		}
		if none {
			b.WriteString(title)
		}
		none = false
		fmt.Fprintf(b, "### %s\n\n", cell(tables.Name(st)))
		for i, f := range failures {
			sameRun := func(other results.Failure) bool { return other.Seed == f.Seed }
			if slices.ContainsFunc(failures[:i], sameRun) {
				continue
			}
			var checks []string
			for _, other := range failures[i:] {
				if sameRun(other) {
					checks = append(checks, other.Check)
				}
			}
			fmt.Fprintf(b, "- %s, seed %d: `%s` ([files](%s/))\n", strings.Join(checks, ", "), f.Seed, words.ReplayLine(c.Program, f.Trial.Replay), failureDir(st, f))
		}
		var out bytes.Buffer
		// Writing to a bytes.Buffer cannot fail.
		_ = story.TellCheck(failures[0].Trial, failures[0].Check).Write(&out, story.InFile())
		fmt.Fprintf(b, "\n```text\n%s```\n\n", strings.ReplaceAll(out.String(), "```", "'''"))
	}
	if none && len(otherGrid(c).Rows) == 0 {
		b.WriteString(title + "No check that finds harm was violated.\n\n")
	}
}

func markdownTable(b *bytes.Buffer, uses []results.StrategyStats) {
	b.WriteString("| strategy | resource's fence | violating runs | rate | 95 % interval | finished | as expected | checks violated (runs) |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---|---|\n")
	for _, st := range uses {
		fmt.Fprintf(b, "| %s | %s | %s of %s | %s | %s | %s | %s | %s |\n", cell(tables.Name(st)), cell(st.Fence),
			words.Thousands(st.Violating), words.Thousands(st.Runs), words.Percent(st.Rate), tables.IntervalOf(st), tables.Finished(st), tables.OutcomeOf(st).Cell(), tables.Violated(st))
	}
}

func markdownGrid(b *bytes.Buffer, g tables.Grid) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", g.Title, g.Note)
	markdownRows(b, g)
}

// markdownRows writes the rows of a grid.
func markdownRows(b *bytes.Buffer, g tables.Grid) {
	fmt.Fprintf(b, "| %s |\n%s%s|\n", strings.Join(g.Head, " | "), strings.Repeat("|---", g.Texts), strings.Repeat("|---:", len(g.Head)-g.Texts))
	for _, row := range g.Rows {
		for _, text := range row {
			fmt.Fprintf(b, "| %s ", cell(text))
		}
		b.WriteString("|\n")
	}
	b.WriteByte('\n')
}

func markdownFaults(b *bytes.Buffer, c *results.Campaign) {
	if len(c.Faults) == 0 {
		return
	}
	b.WriteString("## Faults\n\n| fault | planned | injected | hit |\n|---|---:|---:|---:|\n")
	for _, f := range c.Faults {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(f.Name()),
			words.Thousands(int(f.Planned)), words.Thousands(int(f.Happened)), words.Thousands(int(f.Hit)))
	}
	b.WriteByte('\n')
}

func howToRead(c *results.Campaign) string {
	return fmt.Sprintf("## How to read this\n\n%s\nMade by lockquake %s from scenario %s, %s.\n", reading(c), c.Version, c.Hash, tables.Seeds(c))
}

// reading explains the figures.
func reading(c *results.Campaign) string {
	return fmt.Sprintf(`A run is one seed: the same pauses, hold times and nearly the same latencies for every strategy. A run
is violating if it violates a check that the scenario's expectation names for the strategy. If the expectation
names none, or is the strategy's own claim, every check counts except %s. An
expectation judges only the strategies and the checks that it names. Unknown is never a pass. "finished" is the share of the
requested work that was done and that no stale write undid. If it is below 1 %%, the run tested nothing. Intervals are
Wilson's, at 95 %%. If no run is violating, "fewer than" is the exact one-sided bound (Clopper and Pearson), at 95 %%.

Every named step of a worker takes %v of virtual time. A strategy that checks the clock before a write has a gap
of this length between the check and the write. The longer the gap, the more often the strategy fails.
Other assumptions: %s.
`, strings.Join(checker.NamesOf(func(c checker.Check) bool { return c.Advisory }), ", "), c.Step, strings.Join(tables.Assumed(c)[1:], "; "))
}

// cell escapes text from a scenario for Markdown, in a table or in running text.
func cell(s string) string {
	s = words.Plain(strings.Join(strings.Fields(s), " "), 1000)
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "[", `\[`, "]", `\]`, "*", `\*`, "_", `\_`).Replace(s)
}
