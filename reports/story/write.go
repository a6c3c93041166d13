package story

import (
	"bytes"
	"io"
	"slices"
	"time"

	"lockquake/reports/words"
)

// column is one column of a story.
type column struct {
	head  string
	right bool // the column is aligned to the right
	cell  func(Line) string
}

// The columns of a story that a narrow screen changes.
const (
	textColumn  = 3 // narrowed
	stateColumn = 5 // left out, and then the one that takes its place
)

// InFile is the screen of a story in a file.
func InFile() words.Screen { return words.Screen{Width: 120} }

// Write prints the story: its title, what was violated, a row for each line with three columns of
// state, the other verdicts, and the command that repeats the run.
func (s Story) Write(w io.Writer, on words.Screen) error {
	var b bytes.Buffer
	on.Prose(&b, words.Bold, "", "  ", s.Title)
	b.WriteByte('\n')
	if s.Finding != "" {
		writeVerdict(&b, s.Finding, on)
		b.WriteByte('\n')
	}
	if len(s.Lines) > 0 {
		s.writeLines(&b, on)
		b.WriteByte('\n')
	}
	for _, verdict := range s.Verdicts {
		writeVerdict(&b, verdict, on)
	}
	if s.Replay != "" {
		b.WriteString("\n" + words.ReplayLine(s.Program, s.Replay) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeVerdict(b *bytes.Buffer, verdict string, on words.Screen) {
	on.Prose(b, "", "", "  ", verdict)
}

func (s Story) writeLines(b *bytes.Buffer, on words.Screen) {
	columns, widths, left, needed := s.fitting(on.Columns())
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	right := func(i int) bool { return columns[i].right }
	on.Paint(b, words.Faint, words.AlignedRow(heads, widths, right))
	for _, line := range s.Lines {
		style := words.Style("")
		if line.Decisive {
			style = words.Alarm
		}
		parts := words.Wrap(columns[textColumn].cell(line), widths[textColumn])
		for i, part := range parts {
			cells := make([]string, len(columns))
			if i == 0 {
				for j, c := range columns {
					cells[j] = c.cell(line)
				}
			}
			cells[textColumn] = part
			on.Paint(b, style, words.AlignedRow(cells, widths, right))
		}
	}
	on.LeftOut(b, left, needed)
}

// fitting returns the columns that fit into a width, how wide each is, the heads of those that it leaves
// out, and the width that all need. If they are too wide it narrows the text, but not by much: it
// rather leaves out the lease and then the state of the resource, since the text tells how they change.
func (s Story) fitting(width int) (columns []column, widths []int, left []string, needed int) {
	const narrow, narrowest = 32, 24 // of the text
	columns = s.columns()
	widths = make([]int, len(columns))
	total := 2 * (len(columns) - 1)
	for i, c := range columns {
		widths[i] = words.Width(c.head)
		for _, line := range s.Lines {
			widths[i] = max(widths[i], words.Width(c.cell(line)))
		}
		total += widths[i]
	}
	needed = total
	text := widths[textColumn]
	for stateColumn < len(columns) && text-(total-width) < min(narrow, text) {
		left = append(left, columns[stateColumn].head)
		total -= widths[stateColumn] + 2
		columns, widths = slices.Delete(columns, stateColumn, stateColumn+1), slices.Delete(widths, stateColumn, stateColumn+1)
	}
	if total > width {
		widths[textColumn] = max(narrowest, text-(total-width))
	}
	return columns, widths, left, needed
}

// columns returns the columns of a story.
func (s Story) columns() []column {
	times := s.Times()
	mark := func(l Line) string {
		switch {
		case l.Decisive:
			return "!"
		case l.Evidence:
			return "*"
		}
		return ""
	}
	inside := "believes it holds"
	if s.NoLock {
		inside = "in its section"
	}
	return []column{
		{"", false, mark},
		{"time, s", true, func(l Line) string { return times[l.At] }},
		{"who", false, func(l Line) string { return l.Actor }},
		{"what", false, func(l Line) string { return l.Text }},
		{inside, false, func(l Line) string { return l.Believes }},
		{"lease, until", false, func(l Line) string { return l.Lease }},
		{"resource", false, func(l Line) string { return l.Resource }},
	}
}

// moment prints a time of a run as the column of times does, with its unit.
func moment(at time.Duration) string { return words.Seconds(at, time.Millisecond) + "s" }

// Times returns the time of each line as text, in seconds: to the millisecond, or to the
// microsecond if neighbours would look equal. Decimal points are aligned.
func (s Story) Times() map[time.Duration]string {
	fine := map[time.Duration]bool{}
	for i := 1; i < len(s.Lines); i++ {
		a, b := s.Lines[i-1].At, s.Lines[i].At
		alike := a != b && a.Round(time.Millisecond) == b.Round(time.Millisecond)
		if alike && (fine[a] || !s.Lines[i].ending) {
			fine[a], fine[b] = true, true
		}
	}
	// A rounded time must not seem to be after the next one, or before the last one.
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(s.Lines); i++ {
			a, b := s.Lines[i-1].At, s.Lines[i].At
			if fine[b] && !fine[a] && a.Round(time.Millisecond) > b || fine[a] && !fine[b] && b.Round(time.Millisecond) < a {
				fine[a], fine[b], changed = true, true, true
			}
		}
	}
	times := map[time.Duration]string{}
	for _, line := range s.Lines {
		switch {
		case fine[line.At]:
			times[line.At] = words.Seconds(line.At, time.Microsecond)
		case len(fine) > 0:
			times[line.At] = words.Seconds(line.At, time.Millisecond) + "   "
		default:
			times[line.At] = words.Seconds(line.At, time.Millisecond)
		}
	}
	return times
}
