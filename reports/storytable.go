package reports

import (
	"bytes"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"lockquake/scenarios"
)

// Options say how something is printed for people.
type Options struct {
	Color  bool   // use the colours of a terminal
	Width  int    // columns that a story may take; 0 stands for 120
	Part   string // of a campaign that is one part of a greater one, as 3/16: the verdict is not its own; "" for a whole one
	Report string // directory of the report that a table points to; "" for none
}

// The escape sequences of a terminal that a story and a table use.
const (
	bold    = "\x1b[1m"
	faint   = "\x1b[2m"
	alarm   = "\x1b[1;31m"
	plainly = "\x1b[0m"
)

// column is one column of a story.
type column struct {
	head  string
	right bool // numbers stand to the right
	cell  func(Line) string
}

// what is the index of the column that gives way when the width is short.
const what = 3

// Write prints the story: a title, one line for each moment with three
// columns of state behind it, the verdicts, and the command that repeats it.
func (s Story) Write(w io.Writer, o Options) error {
	if o.Width == 0 {
		o.Width = 120
	}
	var b bytes.Buffer
	paint(&b, o, bold, s.Title)
	b.WriteByte('\n')
	if len(s.Lines) > 0 {
		s.writeLines(&b, o)
		b.WriteByte('\n')
	}
	for _, verdict := range s.Verdicts {
		for i, part := range wrap(verdict, o.Width-2) {
			if i > 0 {
				part = "  " + part
			}
			b.WriteString(part + "\n")
		}
	}
	if s.Replay != "" {
		b.WriteString("\n" + scenarios.ReplayLine(s.Program, s.Replay) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
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
		widths[what] = max(24, widths[what]-(total-o.Width))
	}
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	paint(b, o, faint, row(columns, widths, heads))
	for _, line := range s.Lines {
		style := ""
		if line.Decisive {
			style = alarm
		}
		parts := wrap(columns[what].cell(line), widths[what])
		for i, part := range parts {
			cells := make([]string, len(columns))
			if i == 0 {
				for j, c := range columns {
					cells[j] = c.cell(line)
				}
			}
			cells[what] = part
			paint(b, o, style, row(columns, widths, cells))
		}
	}
}

// columns are the columns of a story.
func (s Story) columns() []column {
	times := s.times()
	mark := func(l Line) string {
		if l.Decisive {
			return "!"
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

// times prints the moments of the lines, to the millisecond, and to the
// microsecond where neighbours would look equal. The points stand under each
// other.
func (s Story) times() map[time.Duration]string {
	fine := map[time.Duration]bool{}
	for i := 1; i < len(s.Lines); i++ {
		a, b := s.Lines[i-1].At, s.Lines[i].At
		if a != b && a.Round(time.Millisecond) == b.Round(time.Millisecond) && !s.Lines[i].ending {
			fine[a], fine[b] = true, true
		}
	}
	times := map[time.Duration]string{}
	for _, line := range s.Lines {
		switch {
		case fine[line.At]:
			times[line.At] = seconds(line.At, time.Microsecond)
		case len(fine) > 0:
			times[line.At] = seconds(line.At, time.Millisecond) + "   "
		default:
			times[line.At] = seconds(line.At, time.Millisecond)
		}
	}
	return times
}

// row aligns the cells of one line. Nothing trails behind the last of them.
func row(columns []column, widths []int, cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
		if columns[i].right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// paint writes one line, in a style if the options allow it.
func paint(b *bytes.Buffer, o Options, style, line string) {
	if o.Color && style != "" {
		line = style + line + plainly
	}
	b.WriteString(line + "\n")
}

// wrap breaks text between words into lines of at most width characters. A
// word that is longer stands alone and is not broken.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
