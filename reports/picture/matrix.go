package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sizes of the picture of a matrix.
const (
	matrixCellWidth  = vg.Length(42)
	matrixCellHeight = vg.Length(16)
	matrixHead       = vg.Length(24) // title of a need
	matrixFoot       = vg.Length(74) // names of the cases
	matrixTop        = vg.Length(30) // title
	matrixLine       = vg.Length(14) // a line of the note
	matrixAxis       = vg.Length(16) // title of the axis below the names of the cases
	matrixGap        = vg.Length(28) // between the panels
	matrixMargins    = vg.Length(20)
)

// matrixNote says how to read the picture.
const matrixNote = "Blue: failing runs of all runs, the darker the more often. Orange: fails, in too few runs for a rate. White: held, no failure in the runs that a fault hit. " +
	"repeats: computations were repeated without a fault. left: jobs that no worker did. Grey cell: not known; 0/4? means that no run failed, and a fault hit in only 4; or idle: too little work was finished. " +
	"Grey name: the strategy does not hold under all required classes, or is the baseline. In brackets: not required"

// Matrix draws a panel for each need: a row for each strategy and a column for each case. A need of a stopped matrix that
// has no run has no panel.
func Matrix(m *results.Matrix) (svg, png []byte, err error) {
	m = begun(m)
	const (
		columns = 2
		slack   = 1.1 // other fonts are wider
	)
	p := matrixPlot{m: m}
	names := textStyle(10, ink(), draw.XRight)
	for i := range m.Needs {
		n := &m.Needs[i]
		for j := range n.Rows {
			p.left = max(p.left, names.Width(words.Plain(n.Rows[j].Label, longestLabel))*slack+8)
		}
		p.cases = max(p.cases, len(n.Cases))
	}
	p.width = p.left + matrixCellWidth*vg.Length(p.cases)
	rows := (len(m.Needs) + columns - 1) / columns
	width := matrixMargins + p.width*vg.Length(min(columns, max(1, len(m.Needs)))) + matrixGap*vg.Length(min(columns, max(1, len(m.Needs)))-1)
	width = max(width, textStyle(13, ink(), draw.XLeft).Width(tables.MatrixHead(m))*slack+matrixMargins)
	note := textStyle(10, dimInk(), draw.XLeft)
	p.note = wrapped(matrixNote, func(line string) bool { return note.Width(line)*slack+matrixMargins <= width })
	height := p.top() + matrixMargins
	for row := range rows {
		p.heights = append(p.heights, 0)
		for i := row * columns; i < min(len(m.Needs), (row+1)*columns); i++ {
			p.heights[row] = max(p.heights[row], matrixHead+matrixFoot+matrixAxis+matrixCellHeight*vg.Length(len(m.Needs[i].Rows)))
		}
		height += p.heights[row]
	}
	const dots = 144
	return picture(width, height, dots, about{tables.MatrixHead(m), matrixNote}, func(c draw.Canvas) { p.paint(framed(c), columns) })
}

// begun returns the matrix without the needs of which no run is done.
func begun(m *results.Matrix) *results.Matrix {
	shown := *m
	shown.Needs = slices.DeleteFunc(slices.Clone(m.Needs), func(n results.MatrixNeed) bool {
		return !slices.ContainsFunc(n.Rows, func(r results.MatrixRow) bool {
			return slices.ContainsFunc(r.Cells, func(c results.MatrixCell) bool { return c.Runs > 0 })
		})
	})
	return &shown
}

type matrixPlot struct {
	m           *results.Matrix
	left, width vg.Length // room for the labels, and of a panel
	cases       int
	heights     []vg.Length // of the rows of panels
	note        []string    // its lines
}

// top is the room for the title and the note.
func (p matrixPlot) top() vg.Length { return matrixTop + matrixLine*vg.Length(len(p.note)) }

// wrapped splits a text into lines of which each fits. A word that does not fit is a line of its own.
func wrapped(text string, fits func(line string) bool) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && fits(lines[last]+" "+word) {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

func (p matrixPlot) paint(c draw.Canvas, columns int) {
	c.FillText(textStyle(13, ink(), draw.XLeft), vg.Point{X: c.Min.X, Y: c.Max.Y - 8}, tables.MatrixHead(p.m))
	for i, line := range p.note {
		c.FillText(textStyle(10, dimInk(), draw.XLeft), vg.Point{X: c.Min.X, Y: c.Max.Y - 26 - matrixLine*vg.Length(i)}, line)
	}
	y := c.Max.Y - p.top()
	for i := range p.m.Needs {
		p.panel(c, &p.m.Needs[i], c.Min.X+(p.width+matrixGap)*vg.Length(i%columns), y)
		if i%columns == columns-1 {
			y -= p.heights[i/columns]
		}
	}
}

// panel draws one need from its upper left corner.
func (p matrixPlot) panel(c draw.Canvas, n *results.MatrixNeed, x, y vg.Length) {
	c.FillText(textStyle(12, ink(), draw.XLeft), vg.Point{X: x, Y: y - matrixHead/2}, words.Plain(n.Title, 60))
	names := textStyle(10, ink(), draw.XRight)
	top := y - matrixHead
	for i := range n.Rows {
		r := &n.Rows[i]
		row := top - matrixCellHeight*vg.Length(i+1)
		style := names
		if r.Verdict != results.CellHolds || r.Baseline {
			style.Color = dimInk()
		}
		c.FillText(style, vg.Point{X: x + p.left - 6, Y: row + matrixCellHeight/2}, words.Plain(r.Label, longestLabel))
		for j := range r.Cells {
			p.cell(c, x+p.left+matrixCellWidth*vg.Length(j), row, &r.Cells[j])
		}
	}
	names.Rotation = math.Pi / 4
	bottom := top - matrixCellHeight*vg.Length(len(n.Rows)) - 6
	for j, one := range n.Cases {
		name := one.Name
		if !one.Must {
			name = "(" + name + ")"
		}
		c.FillText(names, vg.Point{X: x + p.left + matrixCellWidth*(vg.Length(j)+0.6), Y: bottom}, name)
	}
	axis := vg.Point{X: x + p.left + matrixCellWidth*vg.Length(len(n.Cases))/2, Y: bottom + 6 - matrixFoot - matrixAxis/2 + 6}
	c.FillText(textStyle(10, ink(), draw.XCenter), axis, "class of faults")
}

// cell paints a cell with its counts.
func (p matrixPlot) cell(c draw.Canvas, x, y vg.Length, cell *results.MatrixCell) {
	const gap = 0.75
	box := vg.Rectangle{Min: vg.Point{X: x + gap, Y: y + gap}, Max: vg.Point{X: x + matrixCellWidth - gap, Y: y + matrixCellHeight - gap}}
	number := textStyle(8.5, ink(), draw.XCenter)
	text := tables.MatrixCell(cell)
	switch cell.State {
	case results.CellHolds:
		c.FillPolygon(color.RGBA{R: 0xf6, G: 0xf8, B: 0xfa, A: 0xff}, corners(box))
		number.Color = dimInk()
	case results.CellFails:
		share := float64(cell.Violating) / float64(max(1, cell.Runs))
		switch {
		case cell.Worst == results.LeftUndone:
			share, text = float64(cell.Left)/float64(max(1, cell.Jobs)), fmt.Sprintf("%d left", cell.Left)
		case cell.Violating == 0: // it saves nothing
			share, text = 1, "repeats"
		}
		if !cell.HasRate() {
			if cell.Violating > 0 {
				text = "fails " + text
			}
			c.FillPolygon(ochre(0.6), corners(box))
			break
		}
		share = 0.15 + 0.85*share
		c.FillPolygon(shade(share), corners(box))
		if share > 0.5 {
			number.Color = color.White
		}
	default:
		c.FillPolygon(color.RGBA{R: 0xe2, G: 0xe5, B: 0xe9, A: 0xff}, corners(box))
	}
	c.FillText(number, vg.Point{X: x + matrixCellWidth/2, Y: y + matrixCellHeight/2 + 1}, text)
}
