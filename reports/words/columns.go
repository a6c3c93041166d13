package words

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Columns prints rows of cells with their columns aligned. It breaks a long last cell
// between words to keep a line within LineWidth, and indents what follows.
func Columns(w io.Writer, rows [][]string) error {
	const narrowest = 30 // of what is left for the last cell
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var head strings.Builder
		for i, cell := range row[:len(row)-1] {
			head.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		indent := utf8.RuneCountInString(head.String())
		for i, line := range Wrap(row[len(row)-1], max(narrowest, LineWidth-indent)) {
			if i == 0 {
				line = head.String() + line
			} else {
				line = strings.Repeat(" ", indent) + line
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
