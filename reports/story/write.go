package story

import (
	"bytes"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"lockquake/reports/words"
)

// column is one column of a story.
type column struct {
	head  string
	right bool // the column is aligned to the right
	cell  func(Line) string
}

// textColumn is the index of the column that is narrowed if the story is too wide.
const textColumn = 3

// Options say how [Story.Write] prints.
type Options struct {
	Color bool // use the colours of a terminal
	Width int  // columns that the story may take; 0 stands for 120
}

// Write prints the story: its title, what was violated, a row for each line with three columns of
// state, the other verdicts, and the command that repeats the run.
func (s Story) Write(w io.Writer, o Options) error {
	if o.Width == 0 {
		o.Width = 120
	}
	var b bytes.Buffer
	words.Paint(&b, o.Color, words.Bold, s.Title)
	b.WriteByte('\n')
	if s.Finding != "" {
		writeVerdict(&b, s.Finding, o)
		b.WriteByte('\n')
	}
	if len(s.Lines) > 0 {
		s.writeLines(&b, o)
		b.WriteByte('\n')
	}
	for _, verdict := range s.Verdicts {
		writeVerdict(&b, verdict, o)
	}
	if s.Replay != "" {
		b.WriteString("\n" + words.ReplayLine(s.Program, s.Replay) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeVerdict(b *bytes.Buffer, verdict string, o Options) {
	b.WriteString(strings.Join(words.Wrap(verdict, o.Width-2), "\n  ") + "\n")
}

func (s Story) writeLines(b *bytes.Buffer, o Options) {
	columns := s.columns()
	widths := make([]int, len(columns))
	total := 2 * (len(columns) - 1)
	for i, c := range columns {
		widths[i] = utf8.RuneCountInString(c.head)
		for _, line := range s.Lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.cell(line)))
		}
		total += widths[i]
	}
	if total > o.Width {
		widths[textColumn] = max(24, widths[textColumn]-(total-o.Width))
	}
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	right := func(i int) bool { return columns[i].right }
	words.Paint(b, o.Color, words.Faint, words.AlignedRow(heads, widths, right))
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
			words.Paint(b, o.Color, style, words.AlignedRow(cells, widths, right))
		}
	}
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
	return []column{
		{"", false, mark},
		{"time, s", true, func(l Line) string { return times[l.At] }},
		{"who", false, func(l Line) string { return l.Actor }},
		{"what", false, func(l Line) string { return l.Text }},
		{"believes to hold", false, func(l Line) string { return l.Believes }},
		{"lease, until", false, func(l Line) string { return l.Lease }},
		{"resource", false, func(l Line) string { return l.Resource }},
	}
}

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
