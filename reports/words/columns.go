package words

import (
	"io"
	"strings"
)

// Catalogue prints rows of cells with their columns aligned, the last of which is prose. It breaks
// the prose between words and indents what follows. If the columns before it leave too little room, the
// prose begins on a line of its own. If the columns do not fit either, those after the first also begin
// on a line of their own.
func (s Screen) Catalogue(w io.Writer, rows [][]string) error {
	const (
		narrowest = 40 // of what is left for the prose
		below     = "    "
	)
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	width := min(s.Columns(), UsualWidth)
	var b strings.Builder
	for _, row := range rows {
		var head strings.Builder
		for i, cell := range row[:len(row)-1] {
			head.WriteString(cell + strings.Repeat(" ", widths[i]-Width(cell)) + gap)
		}
		first, indent := head.String(), strings.Repeat(" ", Width(head.String()))
		if width-len(indent) < narrowest {
			head := strings.TrimRight(first, " ")
			first, indent = below, below
			if Width(head) > width {
				b.WriteString(row[0] + "\n")
				head = below + strings.Join(Wrap(strings.Join(row[1:len(row)-1], gap), width-len(below)), "\n"+below)
			}
			b.WriteString(head + "\n")
		}
		for i, line := range Wrap(row[len(row)-1], width-len(indent)) {
			if i == 0 {
				line = first + line
			} else {
				line = indent + line
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
