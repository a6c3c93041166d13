package words

import (
	"bytes"
	"strings"
	"unicode/utf8"
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

// Paint writes one line to b, in a style if color is set.
func Paint(b *bytes.Buffer, color bool, style Style, line string) {
	if color && style != "" {
		line = string(style) + line + reset
	}
	b.WriteString(line + "\n")
}

// PaintWrapped writes a text to b in lines of at most LineWidth, in a style if color is set. The lines
// after the first are indented.
func PaintWrapped(b *bytes.Buffer, color bool, style Style, text string) {
	const indent = "  "
	for i, line := range Wrap(text, LineWidth-len(indent)) {
		if i > 0 {
			line = indent + line
		}
		Paint(b, color, style, line)
	}
}

// Figures is a range of the columns of a table, without To, that hold figures and are
// aligned to the right. The zero value is no column.
type Figures struct{ From, To int }

func (f Figures) right(column int) bool { return f.From <= column && column < f.To }

// WriteTable prints rows with aligned columns. The first row is the head. Rows for
// which alarming returns true are painted as an alarm; alarming may be nil.
func WriteTable(b *bytes.Buffer, color bool, rows [][]string, f Figures, alarming func(row int) bool) {
	for i, line := range Aligned(rows, f) {
		style := Style("")
		switch {
		case i == 0:
			style = Faint
		case alarming != nil && alarming(i):
			style = Alarm
		}
		Paint(b, color, style, line)
	}
}

// Aligned turns rows into lines with aligned columns.
func Aligned(rows [][]string, f Figures) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, AlignedRow(row, widths, f.right))
	}
	return lines
}

// AlignedRow turns the cells of one row into a line, each padded to its width. It aligns
// the columns for which right returns true to the right, and leaves no trailing space.
func AlignedRow(cells []string, widths []int, right func(column int) bool) string {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
		if right(i) {
			padded[i] = pad + cell
		} else {
			padded[i] = cell + pad
		}
	}
	return strings.TrimRight(strings.Join(padded, "  "), " ")
}

// Wrap breaks text between words into lines of at most width characters. A longer word
// has a line of its own. A percent sign stays with its number.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range glued(strings.Fields(text)) {
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

// LineWidth is the longest line of prose on a terminal, in characters.
const LineWidth = 100
