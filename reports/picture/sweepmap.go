package picture

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sizes of the maps over two parameters.
const (
	mapCellWidth  = vg.Length(38) // at least, so that a number fits into it
	mapCellHeight = vg.Length(20)
	mapName       = vg.Length(30) // the parameter, left of its values
	mapHead       = vg.Length(22) // the strategy above the cells
	mapFoot       = vg.Length(40) // the values and the parameter below them
	mapGap        = vg.Length(18)
	mapTop        = vg.Length(46) // the title of all
	mapColumns    = 2
	mapLetters    = 9 // size of the values
)

// mapsPicture draws a map for each strategy: the first parameter upwards, the second from
// left to right, and in each cell the rate in percent.
func mapsPicture(s *results.Sweep) (width, height vg.Length, paintOn func(draw.Canvas)) {
	const margins = 20 // that framed leaves
	labels := tables.SweepLabels(s)
	columns := min(mapColumns, max(1, len(labels)))
	rows := (len(labels) + columns - 1) / columns
	m := maps{s: s, up: newSweepAxis(s.Axes[0]), right: newSweepAxis(s.Axes[1])}
	values := textStyle(mapLetters, ink(), draw.XCenter)
	m.names, m.cellWidth = mapName, mapCellWidth
	for _, value := range m.up.shown() {
		m.names = max(m.names, mapName+values.Width(value))
	}
	for _, value := range m.right.shown() {
		m.cellWidth = max(m.cellWidth, values.Width(value)+8)
	}
	panelWidth := m.names + m.cellWidth*vg.Length(len(m.right.at))
	panelHeight := mapHead + mapCellHeight*vg.Length(len(m.up.at)) + mapFoot
	title := fmt.Sprintf("%s: %s (%%), by %s", words.Plain(s.Scenario, 40), tables.SweepCounts(s), tables.Axes(s))
	style := textStyle(13, ink(), draw.XLeft)
	width = max(style.Width(title), panelWidth*vg.Length(columns)+mapGap*vg.Length(columns-1)) + margins
	height = mapTop + (panelHeight+mapGap)*vg.Length(rows) + margins
	return width, height, func(c draw.Canvas) {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - 10}, title)
		note := textStyle(10.5, dimInk(), draw.XLeft)
		c.FillText(note, vg.Point{X: c.Min.X, Y: c.Max.Y - 28}, tables.SweepRuns(s))
		for i, label := range labels {
			x := c.Min.X + (panelWidth+mapGap)*vg.Length(i%columns)
			y := c.Max.Y - mapTop - (panelHeight+mapGap)*vg.Length(i/columns)
			m.panel(c, label, x, y)
		}
	}
}

// maps draws the maps of a sweep.
type maps struct {
	s                *results.Sweep
	up, right        sweepAxis
	names, cellWidth vg.Length // left of the cells, and of each cell
}

// panel draws the map of one strategy from its upper left corner.
func (m maps) panel(c draw.Canvas, label string, x, y vg.Length) {
	left, top := x+m.names, y-mapHead
	bottom := top - mapCellHeight*vg.Length(len(m.up.at))
	c.FillText(textStyle(11.5, ink(), draw.XLeft), vg.Point{X: left, Y: y - mapHead/2}, words.Plain(label, longestLabel))
	for i := range m.up.at {
		for j := range m.right.at {
			at := i*len(m.right.at) + j
			if at >= len(m.s.Points) {
				continue
			}
			if r, ok := m.s.Points[at].Of(label); ok && r.Runs > 0 {
				m.cell(c, left+m.cellWidth*vg.Length(j), bottom+mapCellHeight*vg.Length(i), r.Rate)
			}
		}
	}
	values := textStyle(mapLetters, ink(), draw.XRight)
	for i, value := range m.up.shown() {
		c.FillText(values, vg.Point{X: left - 5, Y: bottom + mapCellHeight*(vg.Length(i)+0.5)}, value)
	}
	values.XAlign = draw.XCenter
	for j, value := range m.right.shown() {
		c.FillText(values, vg.Point{X: left + m.cellWidth*(vg.Length(j)+0.5), Y: bottom - 10}, value)
	}
	names := textStyle(10.5, ink(), draw.XCenter)
	across := m.cellWidth * vg.Length(len(m.right.at))
	c.FillText(names, vg.Point{X: left + across/2, Y: bottom - 27}, fit(names, m.right.label, across))
	upwards := fit(names, m.up.label, top-bottom+mapFoot/2)
	names.Rotation = math.Pi / 2
	c.FillText(names, vg.Point{X: x + 8, Y: (top + bottom) / 2}, upwards)
}

// fit cuts the name of a parameter from the left until it fits. The title has the whole
// name.
func fit(style text.Style, label string, room vg.Length) string {
	letters := []rune(label)
	for len(letters) > 1 && style.Width(string(letters)) > room {
		letters = append([]rune{'…'}, letters[2:]...)
	}
	return string(letters)
}

// cell paints a rate and its number. A higher rate is darker.
func (m maps) cell(c draw.Canvas, x, y vg.Length, rate float64) {
	const gap = 0.75
	box := vg.Rectangle{Min: vg.Point{X: x + gap, Y: y + gap}, Max: vg.Point{X: x + m.cellWidth - gap, Y: y + mapCellHeight - gap}}
	c.FillPolygon(shade(rate), corners(box))
	number := textStyle(9.5, ink(), draw.XCenter)
	if rate > 0.5 {
		number.Color = color.White
	}
	c.FillText(number, vg.Point{X: x + m.cellWidth/2, Y: y + mapCellHeight/2 + 1}, words.WholePercent(rate))
}

// shown returns the labels of the cells. Those of durations have no unit, which is with the
// name of the parameter.
func (a sweepAxis) shown() []string {
	var values []string
	for i, value := range a.values {
		if !a.words {
			value = fmt.Sprintf("%.4g", a.at[i])
		}
		values = append(values, value)
	}
	return values
}
