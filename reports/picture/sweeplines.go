package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// sweepLine is the line of one strategy. Its values are in percent, x is in the unit of
// the axis.
type sweepLine struct {
	label              string
	x, rate, low, high []float64
	color              color.RGBA
	shape              draw.GlyphDrawer
	dashes             []vg.Length
	joined             bool
	whole              bool      // it reaches the last value of the axis
	shift              vg.Length // to the right, so that bars do not overlap
}

// strategyLines plots the lines of all strategies.
type strategyLines []sweepLine

// sweepLines returns the lines of a sweep, each with a colour and a shape. The colours are
// those of Okabe and Ito; lines that reuse a colour are dashed.
func sweepLines(s *results.Sweep, axis sweepAxis) strategyLines {
	colors := []color.RGBA{
		blue(),
		vermilion(),
		{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
		{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
		{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
		{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
		{R: 0x40, G: 0x40, B: 0x40, A: 0xff},
	}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}
	var lines strategyLines
	labels := tables.SweepLabels(s)
	for i, label := range labels {
		line := sweepLine{
			label: words.Plain(label, longestLabel), color: colors[i%len(colors)], shape: shapes[i%len(shapes)], joined: !axis.words,
		}
		if axis.words {
			line.shift = barGap * (vg.Length(i) - vg.Length(len(labels)-1)/2)
		}
		if i >= len(colors) {
			line.dashes = []vg.Length{6, 3}
		}
		for j := range s.Points {
			if r, ok := s.Points[j].Of(label); ok && r.Runs > 0 {
				line.x = append(line.x, axis.at[j])
				line.rate, line.low, line.high = append(line.rate, 100*r.Rate), append(line.low, 100*r.Low), append(line.high, 100*r.High)
			}
		}
		if last := len(line.x) - 1; last >= 0 {
			line.whole = line.x[last] == axis.at[len(axis.at)-1]
			lines = append(lines, line)
		}
	}
	return lines
}

// Plot draws the intervals, then the lines above them, and to the right the name of each
// line near its end.
func (lines strategyLines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	grid := draw.LineStyle{Color: color.Gray{Y: 0xe6}, Width: 0.5}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.Label != "" {
			c.StrokeLine2(grid, toX(p.X.Min), toY(tick.Value), toX(p.X.Max), toY(tick.Value))
		}
	}
	for _, l := range lines {
		l.interval(c, toX, toY)
	}
	paths := make([][]vg.Point, len(lines))
	for i, l := range lines {
		for j, x := range l.x {
			paths[i] = append(paths[i], vg.Point{X: toX(x) + l.shift, Y: toY(l.rate[j])})
		}
	}
	for i, l := range lines {
		if l.joined {
			l.stroke(c, i, paths)
		}
	}
	for i, l := range lines {
		for j, at := range paths[i] {
			// Where lines meet, each has its turn from point to point. A glyph beside its point would show a wrong value.
			if place, n := among(paths, i, at); j%n != place {
				continue
			}
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: glyphRadius * 0.8, Shape: l.shape}, at)
		}
	}
	names := valueStyle()
	for i, y := range lines.ends(toY, c.Min.Y, c.Max.Y) {
		l := lines[i]
		last := len(l.x) - 1
		from := vg.Point{X: toX(l.x[last]) + l.shift + glyphRadius, Y: toY(l.rate[last])}
		to := vg.Point{X: toX(p.X.Max) + endGap, Y: y}
		if l.whole { // else it would look like a part of the line where nothing was measured
			c.StrokeLine2(draw.LineStyle{Color: l.color, Width: 0.5, Dashes: l.dashes}, from.X, from.Y, to.X-glyphRadius-3, to.Y)
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: glyphRadius * 0.8, Shape: l.shape}, to)
		c.FillText(names, vg.Point{X: to.X + labelGap, Y: y + capHalf/3}, l.label)
	}
}

// among returns how many paths have all of these points, and the place of path i among them, from 0.
func among(paths [][]vg.Point, i int, points ...vg.Point) (place, n int) {
	const apart = 0.5 // of a point; less cannot be seen
	for j, path := range paths {
		if slices.ContainsFunc(points, func(at vg.Point) bool {
			return !slices.ContainsFunc(path, func(p vg.Point) bool { return math.Hypot(float64(p.X-at.X), float64(p.Y-at.Y)) < apart })
		}) {
			continue
		}
		if j < i {
			place++
		}
		n++
	}
	return place, n
}

// stroke draws line i. Where lines coincide, each has its turn: dashes of each colour follow each other.
func (l sweepLine) stroke(c draw.Canvas, i int, paths [][]vg.Point) {
	const turn = vg.Length(8)
	path := paths[i]
	shared := func(j int) (place, n int) { return among(paths, i, path[j], path[j+1]) }
	for first := 0; first < len(path)-1; {
		place, n := shared(first)
		last := first + 1
		for last < len(path)-1 {
			if p, m := shared(last); p != place || m != n {
				break
			}
			last++
		}
		style := draw.LineStyle{Color: l.color, Width: 1.5, Dashes: l.dashes}
		if n > 1 {
			style.Dashes = []vg.Length{turn, turn * vg.Length(n-1)}
			style.DashOffs = turn * vg.Length(n-place)
		}
		c.StrokeLines(style, path[first:last+1])
		first = last
	}
}

// interval draws the intervals of a line: as a band, or as bars if the values are words.
func (l sweepLine) interval(c draw.Canvas, toX, toY func(float64) vg.Length) {
	const faint = 0x28
	pale := color.NRGBA{R: l.color.R, G: l.color.G, B: l.color.B, A: faint}
	var band []vg.Point
	for i, x := range l.x {
		band = append(band, vg.Point{X: toX(x), Y: toY(l.high[i])})
		if !l.joined {
			c.StrokeLine2(draw.LineStyle{Color: l.color, Width: 1}, toX(x)+l.shift, toY(l.low[i]), toX(x)+l.shift, toY(l.high[i]))
		}
	}
	for i, x := range slices.Backward(l.x) {
		band = append(band, vg.Point{X: toX(x), Y: toY(l.low[i])})
	}
	if l.joined {
		c.FillPolygon(pale, band)
	}
}

// ends returns the height of each line's name: that of its last point, moved so that names
// do not overlap.
func (lines strategyLines) ends(toY func(float64) vg.Length, bottom, top vg.Length) []vg.Length {
	heights := make([]vg.Length, len(lines))
	order := make([]int, len(lines))
	for i, l := range lines {
		heights[i], order[i] = toY(l.rate[len(l.rate)-1]), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case heights[a] < heights[b]:
			return 1
		case heights[a] > heights[b]:
			return -1
		}
		return 0
	})
	// From the top down: leave room for the names below, and keep the distance from the
	// name above.
	room := top
	for i, at := range order {
		below := bottom + endLine*vg.Length(len(order)-1-i)
		heights[at] = min(room, max(heights[at], below))
		room = heights[at] - endLine
	}
	return heights
}

// GlyphBoxes returns the boxes of the names, so that the plot leaves room for them.
func (lines strategyLines) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, l := range lines {
		box := valueStyle().Rectangle(l.label).Add(vg.Point{X: endGap + labelGap})
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: box})
	}
	return boxes
}
