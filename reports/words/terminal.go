package words

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Style is the escape sequence that starts a style of a terminal, "" for none.
type Style string

// The styles of stories and tables.
const (
	Bold  Style = "\x1b[1m"
	Faint Style = "\x1b[2m"
	Alarm Style = "\x1b[1;31m"
)

const reset = "\x1b[0m"

// Paint writes one line, in a style if the output takes colours.
func Paint(b *bytes.Buffer, color bool, style Style, line string) {
	if color && style != "" {
		line = string(style) + line + reset
	}
	b.WriteString(line + "\n")
}

// Figures are the columns of a table from one up to another, not included, that
// hold figures and stand to the right. The zero value is none.
type Figures struct{ From, To int }

func (f Figures) right(column int) bool { return f.From <= column && column < f.To }

// WriteTable prints rows, the first of which is the head, with their columns
// under each other. Rows that alarming points out are painted so; nil is none.
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

// Aligned makes lines of rows.
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

// AlignedRow aligns the cells of one line, those to the right that stand there.
// Nothing trails behind the last of them.
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

// Wrap breaks text between words into lines of at most width characters. A
// word that is longer is alone and not broken.
func Wrap(text string, width int) []string {
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

// LineWidth is how many characters a line of prose has at most on a terminal.
const LineWidth = 100
