package words

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Style is an escape sequence that starts a style of a terminal, or "" for none.
type Style string

// The styles of stories and tables.
const (
	Bold  Style = "\x1b[1m"
	Faint Style = "\x1b[2m"
	Alarm Style = "\x1b[1;31m"
)

const reset = "\x1b[0m"

// UsualWidth is the width of a screen that says none, and of the widest prose, in columns.
const UsualWidth = 100

// Screen describes the terminal, file or pipe that a text is printed on. The zero value is a file or a pipe.
type Screen struct {
	Width int  // columns; 0 stands for UsualWidth
	Color bool // use the colours of a terminal
}

// Columns returns the width of the screen in columns.
func (s Screen) Columns() int {
	if s.Width == 0 {
		return UsualWidth
	}
	return s.Width
}

// Paint writes one line to b, in a style if the screen has colours.
func (s Screen) Paint(b *bytes.Buffer, style Style, line string) {
	if s.Color && style != "" {
		line = string(style) + line + reset
	}
	b.WriteString(line + "\n")
}

// Prose writes a text to b in lines that fit. The first line begins with first, the others with others,
// which usually is an indent.
func (s Screen) Prose(b *bytes.Buffer, style Style, first, others, text string) {
	indent := max(Width(first), Width(others))
	for i, line := range Wrap(text, min(s.Columns(), UsualWidth)-indent) {
		head := first
		if i > 0 {
			head = others
		}
		s.Paint(b, style, head+line)
	}
}

// Figures is a range of the columns of a table, without To, that hold figures and are
// aligned to the right. The zero value is no column.
type Figures struct{ From, To int }

func (f Figures) right(column int) bool { return f.From <= column && column < f.To }

// Table is a table for a terminal.
type Table struct {
	Rows     [][]string         // the first is the head, and is not printed if its cells are empty
	Figures  Figures            // the columns that hold figures
	Keys     int                // leading columns that say what a row is; 0 stands for 1
	Least    []int              // columns that a narrow screen leaves out, the least important first
	Whole    bool               // the last column is copied: it has a line of its own if it does not fit
	Alarming func(row int) bool // whether a row is painted as an alarm; may be nil
}

// Table prints a table with aligned columns. If it does not fit, it breaks the heads into lines, and then
// leaves out columns, and says which. If it still does not fit, it is split into parts, one below the other.
func (s Screen) Table(b *bytes.Buffer, t Table) {
	widths, heads := widthsOf(t.Rows), t.Rows[:1]
	needed := 0
	var columns []int
	for i := range widths {
		columns = append(columns, i)
	}
	if needed = totalOf(widths, columns); needed > s.Columns() {
		heads = brokenHeads(t.Rows)
		widths = widthsOf(append(heads, t.Rows[1:]...))
		needed = totalOf(widths, columns)
	}
	var left []string
	for _, least := range t.Least {
		if totalOf(widths, columns) <= s.Columns() {
			break
		}
		columns = slices.DeleteFunc(columns, func(i int) bool { return i == least })
		left = append(left, t.Rows[0][least])
	}
	alone := -1 // the column that has lines of its own
	if last := len(widths) - 1; t.Whole && totalOf(widths, columns) > s.Columns() {
		alone = last
		columns = slices.DeleteFunc(columns, func(i int) bool { return i == last })
	}
	for n, part := range s.parts(widths, columns, max(1, t.Keys)) {
		if n > 0 {
			b.WriteByte('\n')
		}
		write := func(style Style, row []string) {
			s.Paint(b, style, alignedRow(row, widths, part, t.Figures))
			if alone >= 0 {
				s.Paint(b, style, "    "+row[alone])
			}
		}
		for _, row := range heads {
			if alignedRow(row, widths, part, t.Figures) != "" {
				write(Faint, row)
			}
		}
		for i, row := range t.Rows[1:] {
			style := Style("")
			if t.Alarming != nil && t.Alarming(i+1) {
				style = Alarm
			}
			write(style, row)
		}
	}
	s.LeftOut(b, left, needed)
}

// brokenHeads breaks the heads of a table between words into lines, the last of which are level, so that
// they are no wider than their columns need.
func brokenHeads(rows [][]string) [][]string {
	widths := widthsOf(rows[1:])
	var broken [][]string // of each column
	height := 0
	for i, head := range rows[0] {
		width := widths[i]
		for word := range strings.FieldsSeq(head) {
			width = max(width, Width(word))
		}
		broken = append(broken, Wrap(head, width))
		height = max(height, len(broken[i]))
	}
	lines := make([][]string, height)
	for n := range lines {
		for _, parts := range broken {
			cell := ""
			if at := n - (height - len(parts)); at >= 0 {
				cell = parts[at]
			}
			lines[n] = append(lines[n], cell)
		}
	}
	return lines
}

// LeftOut says which columns a table has only on a screen that is wide enough. It prints nothing if left is empty.
func (s Screen) LeftOut(b *bytes.Buffer, left []string, needed int) {
	if len(left) > 0 {
		s.Prose(b, Faint, "", "  ", fmt.Sprintf("left out for the width: %s (COLUMNS=%d shows all)", strings.Join(left, "; "), needed))
	}
}

// Fits reports whether a table has room with all its columns.
func (s Screen) Fits(t Table) bool {
	widths := widthsOf(t.Rows)
	total := len(gap) * (len(widths) - 1)
	for _, width := range widths {
		total += width
	}
	return total <= s.Columns()
}

// parts splits columns into parts that fit, each with the first columns, which are the keys.
func (s Screen) parts(widths, columns []int, keys int) [][]int {
	keys = min(keys, len(columns))
	var parts [][]int
	part := slices.Clone(columns[:keys])
	for _, c := range columns[keys:] {
		if len(part) > keys && totalOf(widths, append(slices.Clone(part), c)) > s.Columns() {
			parts = append(parts, part)
			part = slices.Clone(columns[:keys])
		}
		part = append(part, c)
	}
	return append(parts, part)
}

// gap is the space between two columns.
const gap = "  "

// widthsOf returns the width of each column.
func widthsOf(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

// totalOf returns the width of a row of some columns.
func totalOf(widths, columns []int) int {
	total := len(gap) * (len(columns) - 1)
	for _, i := range columns {
		total += widths[i]
	}
	return total
}

// alignedRow turns some cells of a row into a line.
func alignedRow(row []string, widths, columns []int, f Figures) string {
	var cells []string
	var room []int
	right := map[int]bool{}
	for n, i := range columns {
		cells, room = append(cells, row[i]), append(room, widths[i])
		right[n] = f.right(i)
	}
	return AlignedRow(cells, room, func(i int) bool { return right[i] })
}

// AlignedRow turns the cells of one row into a line, each padded to its width. It aligns
// the columns for which right returns true to the right, and leaves no trailing space.
func AlignedRow(cells []string, widths []int, right func(column int) bool) string {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		pad := strings.Repeat(" ", max(0, widths[i]-Width(cell)))
		if right(i) {
			padded[i] = pad + cell
		} else {
			padded[i] = cell + pad
		}
	}
	return strings.TrimRight(strings.Join(padded, gap), " ")
}

// Wrap breaks text between words into lines of at most width columns. A longer word
// has a line of its own. A percent sign stays with its number.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range glued(strings.Fields(text)) {
		if line != "" && Width(line)+1+Width(word) > width {
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

// glued joins each percent sign with the number before it.
func glued(list []string) []string {
	var joined []string
	for _, word := range list {
		if last := len(joined) - 1; last >= 0 && strings.HasPrefix(word, "%") {
			joined[last] += " " + word
		} else {
			joined = append(joined, word)
		}
	}
	return joined
}
